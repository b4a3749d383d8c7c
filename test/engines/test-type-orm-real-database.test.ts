import { Test, type TestingModule } from '@nestjs/testing';
import mysql from 'mysql2';
import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { testTypeOrmModule, type TestTypeOrmModuleOptions } from 'nestjs-shipping/testing';
import pg from 'pg';
import { DataSource, Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTypeOrmEngines } from './test-type-orm-engines.js';
import { ground } from '../support/client.js';

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

/** Options that name the real database beside `url` and `database`. */
const optionsNaming: Record<string, (url: string) => object> = {
  replication: (url) => ({ replication: { master: { url }, slaves: [] } }),
  'extra.database': (url) => ({ extra: { database: nameIn(url) } }),
  'extra.connectionString': (url) => ({ extra: { connectionString: url } }),
};

/** Drivers that connect to the real database whatever the options say, as a connection pooler may do. */
function driverTo(url: string, { type }: TestTypeOrmModuleOptions): object {
  const createPool = (config: mysql.PoolOptions) => mysql.createPool({ ...config, database: nameIn(url) });
  class Pool extends pg.Pool {
    constructor(config: pg.PoolConfig) {
      super({ ...config, connectionString: url });
    }
  }
  return type === 'postgres' ? { ...pg, Pool } : { ...mysql, createPool };
}

for (const { title, isMissing, options } of testTypeOrmEngines) {
  // The real database needs a server.
  if (options.type === 'better-sqlite3') continue;
  describe.skipIf(isMissing)(`testTypeOrmModule() on ${title}`, () => {
    /** The application of a host with its real database. */
    let real: TestingModule;
    let realUrl: string;
    beforeAll(async () => {
      real = await start({});
      await real.get(ShippingMethodsService).create('p', ground);
      const pathname = String(real.get(DataSource).driver.database);
      realUrl = Object.assign(new URL(String('url' in options && options.url)), { pathname }).href;
    });
    afterAll(() => real?.close());

    const start = (more: object): Promise<TestingModule> =>
      Test.createTestingModule({
        imports: [
          testTypeOrmModule({ ...options, ...more } as TestTypeOrmModuleOptions),
          ShippingModule.forRoot(),
        ],
      }).compile();
    const errorOf = (more: object): Promise<string> =>
      start(more).then((test) => test.close().then(() => 'It started.'), String);
    const withoutUrl = (): object => {
      const { hostname: host, username, password, port } = new URL(realUrl);
      return { url: undefined, host, username, password, port: Number(port), database: nameIn(realUrl) };
    };
    const realMethods = async (): Promise<number | string> =>
      real
        .get(ShippingMethodsService)
        .list('p')
        .then(({ meta }) => meta.total, String);

    it.each([
      ['a url', () => ({ url: realUrl })],
      ['a host and a database', withoutUrl],
    ])('leaves the database of a host alone that has %s and dropSchema', async (_title, location) => {
      const test = await start({ ...location(), dropSchema: true });

      expect((await test.get(ShippingMethodsService).list('p')).meta.total).toBe(0);
      expect(await realMethods()).toBe(1);
      await test.close();
    });

    // Only `pg` has a connection string in `extra`.
    const isKnown = (name: string): boolean => options.type === 'postgres' || !name.endsWith('String');
    const naming = Object.entries(optionsNaming).filter(([name]) => isKnown(name));
    it.each(naming)('refuses %s, which names another database', async (_name, way) => {
      const settings = { ...withoutUrl(), ...way(realUrl), dropSchema: true };

      const error = await errorOf(settings);

      expect(error).toContain(`is in the database "${nameIn(realUrl)}"`);
      expect(await realMethods()).toBe(1);
    });

    it('refuses a driver that connects to another database, and drops its own', async () => {
      const error = await errorOf({ driver: driverTo(realUrl, options), dropSchema: true });

      const [made = '', other] = Array.from(error.matchAll(/database "([^"]+)"/g), ([, name]) => name);
      expect([other, await realMethods()]).toEqual([nameIn(realUrl), 1]);
      expect(await namesOn(real)).not.toContain(made);
    });

    // On PostgreSQL, an entity cannot be in another database.
    it.skipIf(options.type === 'postgres')('refuses an entity that is in another database', async () => {
      for (const entity of [
        { name: 'note', database: nameIn(realUrl) },
        { name: `${nameIn(realUrl)}.note` },
      ]) {
        @Entity(entity)
        class Note {
          @PrimaryColumn({ type: 'integer' })
          id!: number;
        }

        const error = await errorOf({ entities: [Note], synchronize: true });

        expect(error).toContain(`"${nameIn(realUrl)}"`);
      }
      expect(await real.get(DataSource).createQueryRunner().hasTable('note')).toBe(false);
    });
  });
}

async function namesOn(host: TestingModule): Promise<string[]> {
  const dataSource = host.get(DataSource);
  const isPostgres = dataSource.options.type === 'postgres';
  const names: { name: string }[] = await dataSource.query(
    isPostgres
      ? 'SELECT datname AS name FROM pg_database'
      : 'SELECT schema_name AS name FROM information_schema.schemata',
  );
  return names.map(({ name }) => name);
}
