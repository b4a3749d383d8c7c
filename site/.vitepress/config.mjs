import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitepress';

const root = new URL('../../', import.meta.url);
const read = (page) => readFileSync(new URL(page, root), 'utf8');

const { version, homepage } = JSON.parse(read('libs/shipping/package.json'));
/** Undefined until the owner has filled in the address. */
const repository = homepage.includes('fill-me-in') ? undefined : homepage.replace(/#.*/, '');

/** The label of a page is its title, so that no text stands here twice. */
const linkTo = (page) => {
  const [, title = page] = /^# (.+)$/m.exec(read(page)) ?? [];
  const link = `/${page.replace(/(README)?\.md$/, '')}`;
  return page === 'README.md'
    ? { text: 'What it is', link: '/overview' }
    : { text: title.replaceAll('`', ''), link };
};

const groups = [
  [
    'Begin',
    [
      'README.md',
      'docs/start.md',
      'docs/concepts.md',
      'docs/existing-backend.md',
      'docs/errors-at-boot.md',
      'docs/guide/README.md',
      'docs/questions.md',
    ],
  ],
  [
    'Build a shop',
    [
      'docs/guide/guards.md',
      'docs/guide/page.md',
      'docs/guide/transactions.md',
      'docs/guide/checkout.md',
      'docs/guide/events.md',
      'docs/recipes/methods-for-a-cart.md',
      'docs/recipes/storefront.md',
    ],
  ],
  [
    'Manage methods',
    [
      'docs/guide/tenants.md',
      'docs/guide/imports.md',
      'docs/recipes/import-screen.md',
      'docs/guide/changes.md',
      'docs/recipes/who-did-it.md',
      'docs/recipes/labels.md',
      'docs/recipes/order-numbers.md',
    ],
  ],
  [
    'Fit it into your application',
    [
      'docs/guide/seven-rules.md',
      'docs/guide/envelopes.md',
      'docs/guide/tests.md',
      'docs/guide/mounts.md',
      'docs/recipes/workers.md',
      'docs/recipes/admin.md',
      'docs/recipes/graphql.md',
    ],
  ],
  [
    'Look up',
    [
      'docs/reference.md',
      'docs/reference-services.md',
      'docs/reference-database.md',
      'docs/migrations.md',
      'docs/express-and-fastify.md',
    ],
  ],
  [
    'Run',
    [
      'docs/operations.md',
      'docs/503.md',
      'docs/recipes/silent-server.md',
      'docs/recipes/metrics.md',
      'docs/kubernetes.md',
      'docs/dba.md',
      'docs/scaling.md',
    ],
  ],
  [
    'Project',
    [
      'docs/performance.md',
      'SECURITY.md',
      'docs/leaving.md',
      'docs/decisions/README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
    ],
  ],
];

const listed = new Set(groups.flatMap(([, pages]) => pages));
const forgotten = ['docs', 'docs/guide', 'docs/recipes']
  .flatMap((folder) => readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`))
  .filter((page) => page.endsWith('.md') && !listed.has(page));
if (forgotten.length > 0) throw new Error(`No group of the sidebar has ${forgotten.join(', ')}.`);

/** The code of the landing page is the first block of the README. */
const [transaction] = /```ts[^]*?```/.exec(read('README.md'));

/** The README of the repository is the page `overview`. The README of a folder is the index of the folder. */
const withIndexes = (text, id) =>
  text.replace(/(\]\([^)\s]*)README\.md/g, (link, before) => {
    const [, path] = before.split('](');
    const isRoot = new URL(`${path}README.md`, pathToFileURL(id)).href === new URL('README.md', root).href;
    return `${before}${isRoot ? 'overview' : 'index'}.md`;
  });

/** As GitHub makes the fragments of its links to headings. */
const slugify = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

// Our lines of code have up to 110 characters, and our tables have sentences.
const style = `
  :root { --vp-code-font-size: 0.8125em; --vp-layout-max-width: 1680px; }
  .VPDoc.has-aside .content-container { max-width: 900px !important; }
  .vp-doc td { min-width: 7em; }
  .VPHome { display: flex; flex-direction: column; }
  .VPHome .VPHomeFeatures { order: 1; margin-top: 48px; }
  .VPHome .vp-doc { max-width: 1280px; width: 100%; margin: 0 auto; padding: 0 24px; }
  @media (min-width: 640px) { .VPHome .vp-doc { padding: 0 48px; } }
  @media (min-width: 960px) { .VPHome .vp-doc { padding: 0 64px; } }
  .VPHome .VPHero { padding-bottom: 16px; }
  .VPHome .VPHero :is(.heading, .name, .text) { max-width: none; font-size: 32px; line-height: 1.3; }
  .VPHome .VPHero .tagline { max-width: none; font-size: 18px; }
  @media (max-width: 640px) { .vp-doc :is(th, td) { padding: 6px 8px; font-size: 13px; line-height: 1.5; } }
`;

// Pages link to files of SQL, which VitePress would take for pages.
process.env.VITE_EXTRA_EXTENSIONS = 'sql';

export default defineConfig({
  title: 'nestjs-shipping',
  description: 'Shipping methods and order histories for a NestJS backend',
  base: process.env.SITE_BASE ?? '/',
  head: [
    // No icon: otherwise browsers ask for one that is not there.
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, style],
  ],
  // The pages are the documents of the repository, where they are.
  srcDir: '..',
  srcExclude: ['{apps,examples,lab,libs,scripts,test}/**', '.*/**'],
  rewrites: {
    'site/index.md': 'index.md',
    'README.md': 'overview.md',
    'docs/:folder/README.md': 'docs/:folder/index.md',
  },
  outDir: 'dist',
  cacheDir: '.cache',
  cleanUrls: true,
  buildEnd: ({ outDir }) => {
    for (const folder of ['docs/scaling', 'docs/sql'])
      cpSync(new URL(folder, root), `${outDir}/${folder}`, { recursive: true });
  },
  markdown: { anchor: { slugify } },
  vite: {
    plugins: [
      {
        // The pages are outside of this folder: Vite would look for Vue beside them. Node finds it here.
        name: 'vue-of-this-folder',
        enforce: 'pre',
        resolveId(source, _importer, { ssr }) {
          if (ssr && /^vue(\/|$)/.test(source)) return { id: source, external: true };
        },
      },
      {
        name: 'links-to-readme',
        enforce: 'pre',
        transform: (text, id) =>
          id.endsWith('.md') ? withIndexes(text.replace('<!-- transaction -->', transaction), id) : undefined,
      },
    ],
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/docs/start' },
      { text: 'API', link: '/docs/reference' },
      { text: 'Runbook', link: '/docs/503' },
      { text: `v${version}`, link: '/CHANGELOG' },
      ...(repository ? [{ text: 'Repository', link: repository }] : []),
    ],
    sidebar: groups.map(([text, pages], index) => ({ text, collapsed: index > 0, items: pages.map(linkTo) })),
    ...(repository && { editLink: { pattern: `${repository}/edit/main/:path` } }),
  },
});
