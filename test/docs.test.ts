import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

describe('the documents', () => {
  it('name the errors at boot as the code does', () => {
    const [, list = ''] = /## Errors at boot([^]*)/.exec(read('docs/start.md')) ?? [];
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
    const versions = read('docs/start.md').replaceAll('\\|', '|');

    const missing = Object.entries(peerDependencies).filter(
      ([name, range]) => !/pglite/.test(name) && !versions.includes(`\`${range}\``),
    );

    expect(missing).toEqual([]);
  });
});
