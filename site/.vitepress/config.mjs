import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const root = new URL('../../', import.meta.url);
const read = (page) => readFileSync(new URL(page, root), 'utf8');

/** The label of a page is its title, so that no text stands here twice. */
const linkTo = (page) => {
  const [, title = page] = /^# (.+)$/m.exec(read(page)) ?? [];
  return { text: title.replaceAll('`', ''), link: `/${page.replace(/(README)?\.md$/, '')}` };
};

/** The pages of a folder: those that its README links to, in that order, then the others. */
const pagesOf = (folder) => {
  const names = readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.md'));
  const readme = names.includes('README.md') ? read(`${folder}/README.md`) : '';
  const place = (name) => (readme.includes(`(${name})`) ? readme.indexOf(`(${name})`) : Infinity);
  const others = names.filter((name) => name !== 'README.md');
  return others
    .toSorted((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((name) => `${folder}/${name}`);
};

const folders = readdirSync(new URL('docs', root), { withFileTypes: true }).filter((each) =>
  each.isDirectory(),
);
const hasRecipes = folders.some(({ name }) => name === 'recipes');

const groups = [
  ['Begin', ['README.md', 'docs/concepts.md', 'docs/start.md', 'docs/existing-backend.md', 'docs/sample.md']],
  ['Guide', pagesOf('docs/guide')],
  ...(hasRecipes ? [['Recipes', pagesOf('docs/recipes')]] : []),
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
      'docs/kubernetes.md',
      'docs/dba.md',
      'docs/scaling.md',
      'docs/performance.md',
      'SECURITY.md',
      'docs/leaving.md',
    ],
  ],
  ['Decisions', pagesOf('docs/decisions')],
  ['Project', ['CONTRIBUTING.md', 'CHANGELOG.md']],
];

const listed = new Set(groups.flatMap(([, pages]) => pages));
const forgotten = pagesOf('docs').filter((page) => !listed.has(page));
if (forgotten.length > 0) throw new Error(`No group of the sidebar has ${forgotten.join(', ')}.`);

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
  srcExclude: ['{apps,examples,lab,libs,scripts,site,test}/**', '.*/**'],
  rewrites: { 'README.md': 'index.md', 'docs/:folder/README.md': 'docs/:folder/index.md' },
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
          id.endsWith('.md') ? text.replace(/(\]\([^)\s]*)README\.md/g, '$1index.md') : undefined,
      },
    ],
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: groups.map(([text, pages]) => ({ text, items: pages.map(linkTo) })),
  },
});
