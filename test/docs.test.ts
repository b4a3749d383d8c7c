import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { DatabaseUnavailableError, toShippingError } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true })
    .map((name) => `${folder}/${String(name)}`)
    .filter((name) => name.endsWith(ending));

/** Code without the characters that depend on its formatting or on the code around it. */
const bare = (code: string): string => code.replace(/\s+/g, '').replace(/[,;]/g, '');

/** The documents in the package (scripts/package-documents.mjs). */
const shipped = /^(docs\/|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$)/;
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', '.md')];

/** The fragments of GitHub's links to the headings of a page. */
function anchorsOf(page: string): string[] {
  const prose = read(page).replace(/```[^]*?\n```/g, '');
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', (page) => {
  const text = read(page);
  const blocks = Array.from(
    text.matchAll(/```(?:[jt]sx?|sql)\n\s*(?:\/\/|--) (\S+)\n([^]*?)\n\s*```/g),
    ([, file = '', code = '']) => {
      const indent = /^ */.exec(code)?.[0] ?? '';
      return { file, code: code.replaceAll(`\n${indent}`, '\n').trim() };
    },
  );

  it.each(blocks)('shows code that $file runs: $code', ({ file, code }) => {
    const source = bare(read(file));

    const statements = code.split(/;\n+(?=\S)/);

    expect(statements.filter((statement) => !source.includes(bare(statement)))).toEqual([]);
  });

  it('names a file above every block of code', () => {
    expect(text.match(/```([jt]sx?|sql)\n/g) ?? []).toHaveLength(blocks.length);
  });

  it('links only to documents and headings that exist and are in the package', () => {
    const links = Array.from(text.matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link);

    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : new URL(path, new URL(page, root)).href.slice(root.href.length);
      if (!shipped.test(target) || !existsSync(new URL(target, root))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });

    expect(broken).toEqual([]);
  });
});

/** Each is a page, a figure in it, a file of the library, and the code that makes the figure true. */
const figures: [page: string, figure: string, file: string, code: string][] = [
  ['reference.md', 'at most 50', 'validation/violations.ts', 'maxViolations = 50'],
  ['reference.md', '20 conditions', 'shipping-methods/list/list-query.dto.ts', 'conditions: 20,'],
  ['reference.md', '100 values', 'shipping-methods/list/list-query.dto.ts', 'values: 100,'],
  ['reference.md', '4 KiB', 'shipping-methods/list/list-query.dto.ts', 'parameterBytes: 4096,'],
  ['reference.md', 'at most 100 characters', 'shipping-methods/list/list-query.dto.ts', 'q: 100,'],
  ['reference.md', 'at most 100,000', 'shipping-methods/list/list-query.dto.ts', 'offset: 100_000,'],
  ['reference.md', '1 to 3 s at random', 'database/database.errors.ts', 'randomInt(1, 4)'],
  ['503.md', '1 to 3 seconds at random', 'database/database.errors.ts', 'randomInt(1, 4)'],
  ['reference-database.md', 'six tries', 'database/database.ts', 'maxTries = 6;'],
  ['reference-database.md', 'at most 30 seconds', 'database/keyed-queue.ts', 'slowCallMs = 30_000'],
  ['reference-database.md', '200 ms', 'database/batcher.ts', 'slowBatchMs = 200;'],
  [
    'reference-database.md',
    'at most 100 projects',
    'shipping-methods/store/method-store.ts',
    'maxProjectsOfLookUp = 100',
  ],
  [
    'reference-database.md',
    'at most 32 projects',
    'shipping-methods/store/method-store.ts',
    'maxProjectsOfRead = 32',
  ],
  ['reference-services.md', 'batch of 1,000 events', 'database/in-batches.ts', 'batchSize = 1000;'],
  [
    'reference-services.md',
    '1 to 200, by default 50',
    'order-events/dto/order-event-page.check.ts',
    'limit: 50, maxLimit: 200,',
  ],
  ['reference-services.md', 'tries five times', 'database/repeat-lost-races.ts', 'tries = 5'],
  ['guide/transactions.md', 'tries five times', 'database/repeat-lost-races.ts', 'tries = 5'],
  ['decisions/0009-a-well-behaved-host.md', 'five seconds', 'database/turns.ts', 'maxTurnMs = 5_000'],
  ['decisions/0006-the-cache-asks-the-database.md', '200 ms', 'database/batcher.ts', 'slowBatchMs = 200;'],
  ['../README.md', '6 to 20 times as many', '../../../docs/performance.md', 'a create 0.05 to 0.18 times'],
];

describe('the documents', () => {
  it.each(figures)('%s says "%s", as %s does', (page, figure, file, code) => {
    expect(read(`docs/${page}`).replace(/\s+/g, ' ')).toContain(figure);
    expect(read(`libs/shipping/src/${file}`)).toContain(code);
  });

  it('name in the runbook for a 503 only codes and messages that give a 503', () => {
    const [, table = ''] = /## 2\. Find the cause([^]*?)\n## /.exec(read('docs/503.md')) ?? [];
    const causes = Array.from(table.matchAll(/^\| ([^|]+)\|/gm), ([, cell = '']) => cell)
      .flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text = '']) => text))
      // The first two are words of ours, and the last one is an error of TypeORM.
      .filter((text) => !/^\(contention|^outcome_unknown|^Query runner/.test(text));

    const unknown = causes.filter((text) => {
      const isCode = /^[A-Z0-9_]+$/.test(text);
      const error = Object.assign(new Error(isCode ? '' : text), isCode && { code: text });
      return !(toShippingError(error) instanceof DatabaseUnavailableError);
    });

    expect(causes.length).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  });

  it('name the errors at boot as the code does', () => {
    const [, list = ''] = /## The messages([^]*)/.exec(read('docs/errors-at-boot.md')) ?? [];
    const messages = list
      .split('\n')
      .filter((line) => line.startsWith('- `'))
      .flatMap((line) =>
        Array.from(line.split(':')[0]?.matchAll(/`([^`]+)`/g) ?? [], ([, text = '']) => text),
      );
    const sources = filesIn('libs/shipping/src', '.ts').map(read).join('\n');
    // Texts that the code puts together from several lines, without the code in them.
    const said = sources.replace(/['`]\s*\+\s*['`]/g, '').replace(/\$\{[^}]*\}/g, '…');

    const unknown = messages.filter((message) =>
      message.split('…').some((part) => part.trim() !== '' && !said.includes(part.trim())),
    );

    expect(messages.length).toBeGreaterThan(5);
    expect(unknown).toEqual([]);
  });

  it('name only files that exist where CONTRIBUTING says where things live', () => {
    const sources = filesIn('libs/shipping/src', '');
    const [, list = ''] = /## Where would X live\?([^]*?)\n## /.exec(read('CONTRIBUTING.md')) ?? [];
    const code = Array.from(list.matchAll(/`([^`]+)`/g), ([, each = '']) => each);
    const names = code.filter((each) =>
      /^[\w.-]+(\/[\w.-]+)*(\/|\.(ts|js|css|md|mjs|sql|yml|json))$|^[.\w-]+\//.test(each),
    );

    const unknown = names.filter((name) => {
      const path = name.replace(/\/$/, '');
      return !sources.some((source) => source.endsWith(`/${path}`)) && !existsSync(new URL(path, root));
    });

    expect(names.length).toBeGreaterThan(60);
    expect(unknown).toEqual([]);
  });

  it('name the versions of peers as the package does', () => {
    const { peerDependencies } = JSON.parse(read('libs/shipping/package.json')) as {
      peerDependencies: Record<string, string>;
    };
    const versions = read('docs/errors-at-boot.md').replaceAll('\\|', '|');

    const missing = Object.entries(peerDependencies).filter(
      ([name, range]) => !/pglite/.test(name) && !versions.includes(`\`${range}\``),
    );

    expect(missing).toEqual([]);
  });
});
