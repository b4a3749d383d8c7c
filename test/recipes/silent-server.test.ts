import { Test, type TestingModule } from '@nestjs/testing';
import { DatabaseUnavailableError, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Proxy } from '../support/proxy.js';
import { type EngineDatabase, opened, postgres, titleOf } from '../engines/databases.js';
import { freshProject } from '../support/client.js';
import { database } from './silent-server.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.skipIf(postgres.missing !== undefined)(`a DataSource with limits on ${titleOf(postgres)}`, () => {
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

  it('refuses calls while the server is silent, and works again afterwards', async () => {
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
});
