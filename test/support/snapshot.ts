import { readFileSync } from 'node:fs';

/** Where the empty embedded database is kept between runs. */
export function snapshotUrl(): URL {
  const manifest = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return new URL(`../../.cache/pglite-${version}.tar.gz`, import.meta.url);
}
