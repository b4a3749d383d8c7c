import { Test, type TestingModule } from '@nestjs/testing';
import { DatabaseUnavailableError, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { Registry } from 'prom-client';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Proxy } from '../support/proxy.js';
import { type EngineDatabase, opened, postgres, titleOf } from '../engines/databases.js';
import { freshProject, ground } from '../support/client.js';
import { otherEngines } from '../support/other-engines.js';
import { boundLeases, mysqlLimits } from './bounded-pool.js';
import { exportMysqlPool } from './metrics-mysql.js';
import { database } from './silent-server.js';

// Most of the time is a wait for the limits, so the engines wait beside each other.
describe
  .skipIf(postgres.missing !== undefined)
  .concurrent(`a DataSource with limits on ${titleOf(postgres)}`, () => {
    let created: EngineDatabase;
    let proxy: Proxy;
    let app: TestingModule;
    let methods: ShippingMethodsService;
    beforeAll(async () => {
      created = await postgres.create();
      await (await opened(created)).destroy();
      const { url, schema } = created.options as { url: string; schema: string };
      const address = new URL(url);
      proxy = await Proxy.before({ host: address.hostname, port: Number(address.port || 5432) });
      address.host = `127.0.0.1:${proxy.port}`;
      address.searchParams.set('options', `-c search_path=${schema}`);
      vi.stubEnv('DATABASE_URL', address.href);
      app = await Test.createTestingModule({ imports: [database, ShippingModule.forRoot()] }).compile();
      await app.init();
      methods = app.get(ShippingMethodsService);
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await app?.close();
      await proxy?.close();
      await created?.drop();
    });

    it.sequential('refuses calls while the server is silent, and works again afterwards', async () => {
      const project = freshProject();
      await methods.create(project, ground);
      proxy.lose();

      const since = Date.now();
      const calls = await Promise.allSettled([methods.list(project), methods.tree(project)]);
      const waitedMs = Date.now() - since;
      proxy.heal();

      expect(calls).toMatchObject([
        { reason: expect.any(DatabaseUnavailableError) },
        { reason: expect.any(DatabaseUnavailableError) },
      ]);
      expect(waitedMs).toBeLessThan(8_000);
      expect((await methods.list(project)).meta.total).toBe(1);
    });

    it.sequential('stays alive when the server ends a connection just as it opens', async () => {
      const projects = Array.from({ length: 10 }, freshProject);
      proxy.endWhenOpened();

      // Without the listener of the recipe, the process would end with an unhandled `error` event.
      const calls = await Promise.allSettled(projects.map((project) => methods.create(project, ground)));
      proxy.heal();

      const errors = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
      expect(errors).toContainEqual(expect.any(DatabaseUnavailableError));
      for (const error of errors) expect(error).toBeInstanceOf(DatabaseUnavailableError);
      expect((await methods.create(freshProject(), ground)).version).toBe(1);
    });
  });

const servers = otherEngines.filter(({ options }) => options.type !== 'better-sqlite3');

describe.concurrent.each(servers)('a DataSource with limits on $title', ({ isMissing, options }) => {
  it.skipIf(isMissing)('ends statements while the server is silent, and works again afterwards', async () => {
    const address = new URL(String((options as { url: unknown }).url));
    const proxy = await Proxy.before({ host: address.hostname, port: Number(address.port || 3306) });
    const url = Object.assign(address, { host: `127.0.0.1:${proxy.port}`, pathname: '' }).href;
    const settings = { type: options.type, url, poolSize: 1, ...mysqlLimits } as DataSourceOptions;
    const dataSource = await new DataSource(settings).initialize();
    boundLeases(dataSource);
    const lockLimit = async (): Promise<number> => {
      const [row] = await dataSource.query(
        'SELECT GREATEST(@@innodb_lock_wait_timeout, @@lock_wait_timeout) AS seconds',
      );
      return Number(row.seconds);
    };
    const register = new Registry();
    exportMysqlPool(dataSource, register);
    const before = await lockLimit();
    proxy.lose();

    // The query of a scrape takes the connection.
    await register.metrics();
    const since = Date.now();
    const asked = await Promise.allSettled([lockLimit(), lockLimit(), lockLimit()]);
    const waitedMs = Date.now() - since;
    proxy.heal();

    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(waitedMs).toBeLessThan(8_000);
    expect([before, await lockLimit()]).toEqual([3, 3]);
    await dataSource.destroy();
    await proxy.close();
  });
});
