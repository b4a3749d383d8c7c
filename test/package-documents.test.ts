import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const copied = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'docs'];

it('the documents in the package link only to files that are in the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'libs/shipping'), { recursive: true });
  for (const name of [...copied, 'libs/shipping/package.json', 'scripts/package-documents.mjs'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const library = join(folder, 'libs/shipping');
  const { files } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as { files: string[] };

  execFileSync(process.execPath, [join(folder, 'scripts/package-documents.mjs'), 'add'], { stdio: 'pipe' });
  for (const file of files) if (file.startsWith('!')) rmSync(join(library, file.slice(1)));

  const pages = (readdirSync(library, { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.md'),
  );
  const broken = pages.flatMap((page) => {
    const links = readFileSync(join(library, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    const paths = [...links].map(([, link = '']) => join(dirname(join(library, page)), link));
    return paths.filter((path) => !existsSync(path));
  });
  expect(pages.length).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});
