// Bundles the browser's part of the page into libs/shipping/src/page/assets.generated.ts. npm runs it before each
// command that needs the file. The bundle is a module with two texts, because a bundler of the host keeps a module, but
// loses files.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url);
const browser = new URL('libs/shipping/src/page/browser/', root);

/** The libraries in the bundle. Their licences travel with it. */
const libraries = ['preact', 'htm', '@picocss/pico'];
const licences = libraries.map((name) => {
  const folder = new URL(`node_modules/${name}/`, root);
  const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  const file = name === '@picocss/pico' ? 'LICENSE.md' : 'LICENSE';
  return `${name} ${version}\n\n${readFileSync(new URL(file, folder), 'utf8')}`;
});
writeFileSync(new URL('libs/shipping/page-licences.txt', root), licences.join(`\n${'-'.repeat(80)}\n\n`));

async function bundled(entry, extension, type) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, browser))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    charset: 'utf8',
    logLevel: 'warning',
  });
  const [{ text }] = outputFiles;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { name: `page-${hash}.${extension}`, type, text };
}

const script = await bundled('page.js', 'js', 'text/javascript');
const style = await bundled('page.css', 'css', 'text/css');
const note = '// Made by scripts/bundle-page.mjs. The licences of what is in it are in page-licences.txt.\n';
const file = new URL('libs/shipping/src/page/assets.generated.ts', root);
const code = `${note}export const assets = ${JSON.stringify({ script, style })};\n`;
writeFileSync(file, code);
