import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Code without the characters that depend on its formatting or on the code around it. */
const bare = (code: string): string => code.replace(/\s+/g, '').replace(/[,;]/g, '');

describe.each(['docs/hosting.md', 'docs/services.md', 'docs/tables.md'])('%s', (page) => {
  const blocks = [...read(page).matchAll(/```[jt]s\n\/\/ (\S+)\n([^]*?)\n```/g)];

  it.each(blocks.map(([, file, code]) => ({ file: file ?? '', code: code ?? '' })))(
    'shows code that $file runs: $code',
    ({ file, code }) => {
      const source = bare(read(file));

      const statements = code.split(/;\n(?=\S)/);

      expect(statements.filter((statement) => !source.includes(bare(statement)))).toEqual([]);
    },
  );

  it('names a tested file above every code block', () => {
    expect(read(page).match(/```[jt]s\n/g)).toHaveLength(blocks.length);
  });
});

/** The documents in the package (scripts/package-documents.mjs). */
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
  it('links only to documents that exist and are in the package', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);

    const targets = links.map((link) => new URL(link, new URL(page, root)).href.slice(root.href.length));

    expect(targets.filter((target) => !shipped.test(target) || !existsSync(new URL(target, root)))).toEqual(
      [],
    );
  });
});
