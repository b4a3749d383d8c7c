import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';

const { resolve } = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('page', import.meta.url));

/** The paths of the page and their files: our own files, and the libraries that npm installed. */
const files: Record<string, string> = {
  '/': join(folder, 'index.html'),
  ...Object.fromEntries(readdirSync(folder).map((name) => [`/page/${name}`, join(folder, name)])),
  '/page/vendor/pico.css': resolve('@picocss/pico/css/pico.min.css'),
  '/page/vendor/preact.mjs': resolve('preact'),
  '/page/vendor/htm.mjs': join(dirname(resolve('htm')), 'htm.mjs'),
};

/** These paths need no API key: they have no data, and the page asks for the key. */
export const pagePaths: readonly string[] = Object.keys(files);

const headers = {
  // Pico's icons are `data:` images.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

export function servePage(app: NestFastifyApplication): void {
  // This is only for `sendFile`. The plugin serves no files by itself.
  void app.register(fastifyStatic, { root: folder, serve: false });
  const fastify = app.getHttpAdapter().getInstance();
  for (const [path, file] of Object.entries(files)) {
    fastify.get(path, (_request, reply) => reply.headers(headers).sendFile(basename(file), dirname(file)));
  }
}
