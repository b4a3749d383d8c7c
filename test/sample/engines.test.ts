import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplication } from '@nestjs/common';
import { OrderEventsService } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { schema } from '../../apps/sample/src/database.js';
import { prepareDemo } from '../../apps/sample/src/demo/demo.js';
import { readConfig } from '../../apps/sample/src/hardening/config.js';
import { openDatabase } from '../../apps/sample/src/hardening/open-database.js';
import { openSqlite } from '../../apps/sample/src/hardening/sqlite-database.js';
import { orderIdOf } from '../../apps/sample/src/shop/checkout.service.js';
import { ShopOrder } from '../../apps/sample/src/shop/shop-order.entity.js';
import { Client, freshProject, ground } from '../support/client.js';
import { createApp } from './sample-app.js';
import { mariadbUrl, mysqlUrl, otherEngines, sqliteDriver } from '../support/other-engines.js';

const chosen = { carrier_code: 'ups', method_code: '03' };

interface Opened {
  dataSource: DataSource;
  drop(): Promise<unknown>;
}

/** Opens a new database as the sample does. */
async function openServer(url: string, port = new URL(url).port): Promise<Opened> {
  const type = url.startsWith('mysql:') ? 'mysql' : 'mariadb';
  const name = `sample_${randomUUID()}`;
  const server = await new DataSource({ type, url }).initialize();
  await server.query(`CREATE DATABASE \`${name}\``);
  const DATABASE_URL = Object.assign(new URL(url), { pathname: name, port }).href;
  // Two instances start together.
  const config = readConfig({ DATABASE_URL });
  const drop = () => server.query(`DROP DATABASE \`${name}\``).finally(() => server.destroy());
  try {
    const [dataSource, other] = await Promise.all([
      openDatabase(schema, config),
      openDatabase(schema, config),
    ]);
    await other.destroy();
    return { dataSource, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function openSqliteFile(): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'sample-'));
  const dataSource = await openSqlite(join(directory, 'shop.db'), { ...schema, driver: sqliteDriver });
  await dataSource.runMigrations();
  return { dataSource, drop: () => rm(directory, { recursive: true }) };
}

for (const { title, isMissing, options } of otherEngines) {
  describe.skipIf(isMissing)(`the sample on ${title}`, () => {
    let database: Opened;
    let app: INestApplication;
    let target: ContractTarget;
    beforeAll(async () => {
      vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      database = await (options.type === 'better-sqlite3'
        ? openSqliteFile()
        : openServer(options.type === 'mysql' ? mysqlUrl : mariadbUrl));
      app = await createApp(database.dataSource);
      await app.listen(0, '127.0.0.1');
      const { port } = app.getHttpServer().address() as AddressInfo;
      target = { origin: `http://127.0.0.1:${port}`, orderEvents: app.get(OrderEventsService) };
      vi.restoreAllMocks();
    });
    afterAll(async () => {
      await app?.close();
      await database?.drop();
    });

    const shopOf = (): Client => new Client(target.origin, freshProject());
    const place = (shop: Client, key: string) =>
      shop.send<{ code?: string; order_id?: string }>('POST', `/shops/${shop.project}/orders`, chosen, {
        'idempotency-key': key,
      });
    const orders = (shop: Client): Promise<number> =>
      database.dataSource.manager.countBy(ShopOrder, { projectId: shop.project });

    it.each(shippingContract(() => target))('keeps the contract: $title', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });

    it('has entities that agree with its migrations', async () => {
      const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
      expect(upQueries).toEqual([]);
    });

    it('responds to many repeats with the same key with the same order', async () => {
      const shop = shopOf();
      await shop.create(ground);
      const ids = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'];

      const placed = await Promise.all(ids.map((id) => place(shop, id)));

      expect(placed.map(({ status }) => status)).toEqual(ids.map(() => 201));
      expect(new Set(placed.map(({ body }) => JSON.stringify(body))).size).toBe(3);
      expect(await orders(shop)).toBe(3);
      for (const id of ids) expect((await shop.events(orderIdOf(id))).body.data).toHaveLength(2);
    });

    it('rolls back the order and its first event when the second event fails', async () => {
      const shop = shopOf();
      await shop.create(ground);
      const events = app.get(OrderEventsService);
      const record = events.record.bind(events);
      vi.spyOn(events, 'record').mockImplementation((order, event, scope) =>
        event.type === 'order.placed' ? record(order, event, scope) : Promise.reject(new Error('no')),
      );
      onTestFinished(() => void vi.restoreAllMocks());
      app.useLogger(false);

      const response = await place(shop, '1');

      expect(response.status).toBe(500);
      expect(await orders(shop)).toBe(0);
      expect((await shop.events(orderIdOf('1'))).body.data).toEqual([]);
    });

    it('keeps a method that an order refers to, and refuses an order without a method', async () => {
      const shop = shopOf();
      const { body: method } = await shop.create(ground);
      await place(shop, '1');

      const removal = await shop.remove(method.id);
      const unknown = database.dataSource.manager.insert(ShopOrder, {
        projectId: shop.project,
        orderId: '2',
        methodId: randomUUID(),
      });

      expect(removal).toMatchObject({ status: 409, body: { code: 'method_in_use' } });
      await expect(unknown).rejects.toThrow(/foreign key/i);
    });

    it('gets its demo data once from two instances that start together', async () => {
      const demo = new Client(target.origin, 'demo');
      await database.dataSource.query('DELETE FROM shop_order');
      await database.dataSource.query('DELETE FROM shipping_method');
      await database.dataSource.query('DELETE FROM shipping_project');
      vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      vi.spyOn(console, 'log').mockReturnValue(undefined);
      onTestFinished(() => void vi.restoreAllMocks());

      const first = prepareDemo(app);
      // On SQLite, two transactions at the same time would be one.
      if (options.type === 'better-sqlite3') await first;
      const [paths] = await Promise.all([first, prepareDemo(app)]);

      expect(paths).toHaveLength(3);
      expect((await demo.list()).body.meta.total).toBe(10);
      expect(await orders(demo)).toBe(2);
      expect((await demo.events('1001')).body.data).toHaveLength(10);
    });

    it.skipIf(options.type === 'better-sqlite3')('limits the times of a session', async () => {
      const [limits] = await database.dataSource.query(
        options.type === 'mariadb'
          ? 'SELECT @@innodb_lock_wait_timeout AS forLock, @@max_statement_time * 1000 AS forStatement'
          : 'SELECT @@innodb_lock_wait_timeout AS forLock, @@max_execution_time AS forStatement',
      );

      expect([limits.forLock, limits.forStatement].map(Number)).toEqual([3, 3500]);
    });

    it('responds that it is ready', async () => {
      expect((await fetch(`${target.origin}/health/ready`)).status).toBe(200);
    });
  });
}

const [mariadb, , sqlite] = otherEngines;

describe.skipIf(mariadb?.isMissing)(`the sample on a server that hangs: ${mariadb?.title}`, () => {
  it('responds to every request in 8 seconds, with 503, and works again when the server does', async () => {
    const sockets = new Set<Socket>();
    const proxy = createServer((client) => {
      const server = connect(Number(new URL(mariadbUrl).port), '127.0.0.1');
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => [client, server].map((each) => each.destroy()));
      }
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { dataSource, drop } = await openServer(mariadbUrl, String((proxy.address() as AddressInfo).port));
    const app = await createApp(dataSource);
    app.useLogger(false);
    await app.listen(0, '127.0.0.1');
    const shop = new Client(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`, 'p');
    const read = async (): Promise<number> => (await shop.events('1')).status;
    await Promise.all(Array.from({ length: 20 }, read));

    for (const socket of sockets) socket.pause();
    const began = Date.now();
    const hanging = await Promise.all(Array.from({ length: 30 }, read));
    const took = Date.now() - began;
    const after = await Promise.all(Array.from({ length: 30 }, read));

    expect(new Set(hanging)).toEqual(new Set([503]));
    expect(took).toBeLessThan(8_000);
    expect(new Set(after)).toEqual(new Set([200]));
    await app.close();
    proxy.close();
    await drop();
  });
});

describe.skipIf(sqlite?.isMissing)(`a file of ${sqlite?.title}`, () => {
  it('that another process uses is refused, and the error says what to do', async () => {
    const { dataSource, drop } = await openSqliteFile();

    const second = openSqlite(String(dataSource.options.database), { ...schema, driver: sqliteDriver });

    await expect(second).rejects.toThrow(/locked.*: name a file that only this process uses\./);
    await dataSource.destroy();
    await drop();
  });
});

describe('better-sqlite3', () => {
  it('that is not installed is asked for with the command', async () => {
    // The driver is no dependency of this workspace, so TypeORM does not find it.
    await expect(openSqlite(':memory:', schema)).rejects.toThrow('npm install --no-save better-sqlite3');
  });
});
