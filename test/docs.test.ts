import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Without what a formatter, or the place in a larger expression, decides. */
const bare = (code: string): string => code.replace(/\s+/g, '').replace(/[,;]/g, '');

describe.each(['docs/hosting.md', 'docs/tables.md'])('%s', (page) => {
  const blocks = [...read(page).matchAll(/```ts\n\/\/ (\S+)\n([^`]*)```/g)];

  it.each(blocks.map(([, file, code]) => ({ file: file ?? '', code: code ?? '' })))(
    'shows code that $file runs: $code',
    ({ file, code }) => {
      const source = bare(read(file));

      const statements = code.split(/;\n(?=\S)/);

      expect(statements.filter((statement) => !source.includes(bare(statement)))).toEqual([]);
    },
  );

  it('names a tested file above every piece of code', () => {
    expect(read(page).match(/```ts\n/g)).toHaveLength(blocks.length);
  });
});
