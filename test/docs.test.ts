import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Without what a formatter, or the place in a larger expression, decides. */
const bare = (code: string): string => code.replace(/\s+/g, '').replace(/[,;]/g, '');

describe.each(['docs/hosting.md', 'docs/services.md', 'docs/tables.md'])('%s', (page) => {
  const blocks = [...read(page).matchAll(/```[jt]s\n\/\/ (\S+)\n([^`]*)```/g)];

  it.each(blocks.map(([, file, code]) => ({ file: file ?? '', code: code ?? '' })))(
    'shows code that $file runs: $code',
    ({ file, code }) => {
      const source = bare(read(file));

      const statements = code.split(/;\n(?=\S)/);

      expect(statements.filter((statement) => !source.includes(bare(statement)))).toEqual([]);
    },
  );

  it('names a tested file above every piece of code', () => {
    expect(read(page).match(/```[jt]s\n/g)).toHaveLength(blocks.length);
  });
});

/** What goes into the package beside the code (scripts/package-documents.mjs). */
const shipped = /^(docs\/|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$)/;
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(new URL('docs', root), { recursive: true })
    .map((name) => `docs/${String(name)}`)
    .filter((name) => name.endsWith('.md')),
];

describe.each(pages)('%s', (page) => {
  it('links to documents of the package only, all of which are there', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);

    const targets = links.map((link) => new URL(link, new URL(page, root)).href.slice(root.href.length));

    expect(targets.filter((target) => !shipped.test(target) || !existsSync(new URL(target, root)))).toEqual(
      [],
    );
  });
});
