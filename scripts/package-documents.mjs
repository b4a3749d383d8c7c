// Before and after `npm pack`: the documents stand at the root of the repository and go into the package too, so
// that the README's links work from there. `node scripts/package-documents.mjs add|remove`
import { cpSync, rmSync } from 'node:fs';

const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'docs'];
const root = new URL('../', import.meta.url);
const library = new URL('libs/shipping/', root);

for (const name of documents) {
  rmSync(new URL(name, library), { recursive: true, force: true });
  if (process.argv[2] === 'add') cpSync(new URL(name, root), new URL(name, library), { recursive: true });
}
