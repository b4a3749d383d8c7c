import { fileURLToPath } from 'node:url';
import { load } from './data/load.mjs';
import { loadRows } from './data/load-rows.mjs';
import { mariadbFigures, sqliteFigures } from './figures.mjs';
import * as mariadb from './mariadb.mjs';
import * as postgres from './postgres.mjs';
import { sampleFolder } from './sample.mjs';
import * as sqlite from './sqlite.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const typeorm = { title: 'Nest + Fastify + TypeORM, by hand', env: { ADAPTER: 'fastify' } };
const host = { program: `${sampleFolder}/host.mjs` };

/** Where the contenders store their data. `part`: the section of the document that gets the figures. */
export const engines = {
  postgres: { ...postgres, load, size: 'full' },
  mariadb: {
    ...mariadb,
    load: (...data) => loadRows(mariadb.openForLoad, ...data),
    size: 'middle',
    part: 'mariadb',
    figures: mariadbFigures,
    rivals: {
      ours: host,
      bare: { title: 'Fastify + mysql2, by hand', program: here('rivals/bare-mariadb.mjs') },
      naive: typeorm,
    },
  },
  sqlite: {
    ...sqlite,
    load: (...data) => loadRows(sqlite.openForLoad, ...data),
    size: 'middle',
    part: 'sqlite',
    figures: sqliteFigures,
    rivals: {
      ours: { ...host, env: sqlite.env },
      bare: {
        title: 'Fastify + better-sqlite3, by hand',
        program: here('rivals/bare-sqlite.mjs'),
        env: sqlite.env,
      },
      naive: { ...typeorm, env: { ...typeorm.env, ...sqlite.env } },
    },
  },
};
