import { toShippingError, DatabaseUnavailableError } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type EngineDatabase, onMariadbAndMysql, onPostgres, postgres, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

let host: EngineHost | undefined;
let drop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await host?.close();
  await drop?.();
});

/** @returns the errors of a call of ours, of a route, and of a transaction of the host that uses `toShippingError()` */
async function errorsOf({ methods, origin, dataSource }: EngineHost): Promise<unknown[]> {
  const call = methods.list('p').catch((error: unknown) => error);
  const route = fetch(`${origin}/api/projects/p/sales/orders/shipments/methods`);
  const own = dataSource.transaction((manager) => manager.query('SELECT 1')).catch(toShippingError);
  return [await call, (await route).status, await own];
}

const unavailable = expect.any(DatabaseUnavailableError);

describe.skipIf(postgres.missing !== undefined)(`a connection that ${titleOf(postgres)} refuses`, () => {
  it.each([
    ['55000', 'ALTER DATABASE refusing ALLOW_CONNECTIONS false'],
    ['28000', 'ALTER ROLE refused NOLOGIN'],
    ['42501', 'REVOKE CONNECT ON DATABASE refusing FROM PUBLIC, refused'],
    ['3D000', 'DROP DATABASE refusing WITH (FORCE)'],
  ])('is the same error for our calls, our routes and toShippingError(): %s', async (code, sql) => {
    const { options, drop: dropSchema } = await postgres.create();
    await onPostgres('CREATE ROLE refused LOGIN');
    await onPostgres('CREATE DATABASE refusing OWNER refused');
    drop = async () => {
      await onPostgres('DROP DATABASE IF EXISTS refusing WITH (FORCE)');
      await onPostgres('DROP ROLE refused');
      await dropSchema();
    };
    const url = new URL((options as { url: string }).url);
    [url.username, url.pathname] = ['refused', 'refusing'];
    const refusing = { ...options, url: url.href, schema: 'public' } as EngineDatabase['options'];
    // Each statement needs a new connection.
    host = await hostOn({ options: refusing, drop }, {}, { extra: { maxUses: 1 } });

    await onPostgres(sql);

    const errors = await errorsOf(host);
    expect(errors).toEqual([unavailable, 503, unavailable]);
    expect(errors).toMatchObject([{ cause: { code } }, {}, { cause: { code } }]);
  });
});

describe.skipIf(postgres.missing !== undefined)('a server of PostgreSQL without TLS', () => {
  it('refuses a driver that demands TLS with the same error for our calls, our routes and toShippingError()', async () => {
    const database = await postgres.create();
    drop = database.drop;
    // Each statement needs a new connection.
    host = await hostOn(database, {}, { extra: { maxUses: 1 } });
    const { master } = host.dataSource.driver as PostgresDriver;
    Object.assign(Object(master).options, { ssl: { rejectUnauthorized: false } });

    expect(await errorsOf(host)).toEqual([unavailable, 503, unavailable]);
  });
});

onMariadbAndMysql('a refused connection of', (server) => {
  const poolOf = ({ driver }: DataSource): MysqlDriver['pool'] => (driver as MysqlDriver).pool;

  it.each([
    ['ER_ACCESS_DENIED_ERROR', "ALTER USER refused@'%' IDENTIFIED BY 'changed'"],
    ['ER_DBACCESS_DENIED_ERROR', "REVOKE ALL ON *.* FROM refused@'%'"],
    ['ER_BAD_DB_ERROR', 'DROP DATABASE refusing'],
  ])('is the same error for our calls, our routes and toShippingError(): %s', async (code, sql) => {
    const { options, drop: dropDatabase } = await server.create();
    await server.run("CREATE USER refused@'%' IDENTIFIED BY 'known'");
    await server.run("GRANT ALL ON *.* TO refused@'%'");
    await server.run('CREATE DATABASE refusing');
    drop = async () => {
      await server.run('DROP DATABASE IF EXISTS refusing');
      await server.run("DROP USER refused@'%'");
      await dropDatabase();
    };
    const url = new URL((options as { url: string }).url);
    [url.username, url.password, url.pathname] = ['refused', 'known', 'refusing'];
    host = await hostOn({ options: { ...options, url: url.href } as EngineDatabase['options'], drop });
    // Each statement needs a new connection.
    poolOf(host.dataSource).on('release', (connection: { destroy(): void }) => connection.destroy());
    await host.methods.list('p');

    await server.run(sql);

    const errors = await errorsOf(host);
    expect(errors).toEqual([unavailable, 503, unavailable]);
    expect(errors).toMatchObject([{ cause: { code } }, {}, { cause: { code } }]);
  });
});
