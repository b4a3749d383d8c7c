import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Format } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

const library = fileURLToPath(new URL('../../libs/shipping/', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shipping-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

it.each<[Format, extension: string]>([
  ['esm', 'mjs'],
  ['cjs', 'cjs'],
])('shippingDocument() works in a bundle (%s) of a folder without packages', async (format, extension) => {
  const outfile = join(folder, `bundle.${extension}`);
  await build({
    stdin: {
      contents: `import { shippingDocument } from './src/openapi/openapi.js';
        console.log(JSON.stringify(shippingDocument().info));`,
      resolveDir: library,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format,
    outfile,
    // Nest loads these packages only if they are installed.
    external: ['@nestjs/microservices', '@nestjs/websockets'],
    logLevel: 'silent',
  });

  const info: unknown = JSON.parse(
    execFileSync(process.execPath, [outfile], { cwd: folder, encoding: 'utf8' }),
  );

  const { version } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(info).toMatchObject({ version });
});
