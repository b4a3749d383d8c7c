import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { shippingEntities, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { serverUrl } from '../../support/database.js';
import { snapshotUrl } from '../../support/snapshot.js';
import { compiled, typeOrm } from '../../embedding/host.js';

describe('a database that is not UTF8', () => {
  let dataSource: DataSource | undefined;
  let drop: (() => Promise<unknown>) | undefined;
  afterEach(async () => {
    await dataSource?.destroy();
    await drop?.();
  });

  /** A module on a migrated database in this encoding, not booted yet. */
  const mounted = async (encoding: string) => {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const create = `CREATE DATABASE ${name} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`;
    const connection = serverUrl ? await onServer(name, create) : await embedded(name, create);
    const ours = { entities: shippingEntities, migrations: shippingMigrations, migrationsRun: true };
    const options = { type: 'postgres', driver: pg, ...ours, ...connection } as const;
    dataSource = await new DataSource(options).initialize();
    return compiled([typeOrm({ options, dataSource }), ShippingModule.forRoot({ http: false })]);
  };

  const onServer = async (name: string, create: string): Promise<{ url: string }> => {
    const url = new URL(serverUrl ?? '');
    const admin = await new DataSource({ type: 'postgres', driver: pg, url: url.href }).initialize();
    await admin.query(create);
    drop = async () => {
      await admin.query(`DROP DATABASE ${name}`);
      await admin.destroy();
    };
    url.pathname = name;
    return { url: url.href };
  };

  const embedded = async (database: string, create: string) => {
    const first = await PGlite.create({ loadDataDir: new Blob([await readFile(snapshotUrl())]) });
    await first.exec(create);
    const dump = await first.dumpDataDir('none');
    await first.close();
    const lite = await PGlite.create({ loadDataDir: dump, database });
    drop = () => lite.close();
    return { extra: createPgConfig(lite), poolSize: 1 };
  };

  // Each embedded database takes some seconds.
  it.each(serverUrl ? ['SQL_ASCII', 'LATIN1'] : ['SQL_ASCII'])(
    'is refused at boot with the remedy: %s',
    async (encoding) => {
      const testing = await mounted(encoding);

      const error = await testing.init().then(
        () => 'booted',
        ({ message }: Error) => message,
      );

      expect(error).toContain(`has the encoding ${encoding}`);
      expect(error).toContain("CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0");
      expect(error).toContain('pg_dump');
    },
  );
});
