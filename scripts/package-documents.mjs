// Before and after `npm pack`. The documents stand at the root of the repository. They go into the package too, so that
// the links of the README work there. `gitHead` in package.json says from which commit the package was made; `-dirty`
// follows if files of that commit were changed. `node scripts/package-documents.mjs add|remove`
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'docs'];
const root = new URL('../', import.meta.url);
const library = new URL('libs/shipping/', root);
const packageFile = new URL('package.json', library);
const isAdding = process.argv[2] === 'add';

for (const name of documents) {
  rmSync(new URL(name, library), { recursive: true, force: true });
  if (isAdding) cpSync(new URL(name, root), new URL(name, library), { recursive: true });
}

// The picture of the page would be a quarter of the package, so the package goes without it.
for (const name of isAdding ? ['README.md', 'docs/guide/page.md'] : []) {
  const text = readFileSync(new URL(name, library), 'utf8');
  writeFileSync(new URL(name, library), text.replace(/^!\[.*page\.png\)\n\n/m, ''));
}

const { gitHead: _old, ...fields } = JSON.parse(readFileSync(packageFile, 'utf8'));
const described = isAdding ? { ...fields, gitHead: commit() } : fields;
writeFileSync(packageFile, `${JSON.stringify(described, null, 2)}\n`);

/** Undefined outside of a clone, for instance in an archive of the sources. */
function commit() {
  const isManifest = `:(exclude)${packageFile.href.slice(root.href.length)}`;
  try {
    const git = (...words) =>
      execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
    const head = git('rev-parse', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no', '--', '.', isManifest)
      ? `${head}-dirty`
      : head;
  } catch {
    return undefined;
  }
}
