import { OrderEvents, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';
import { guardOfEachRequest, hostile } from './hostile-host.js';

describe.each(platformNames)('a host on %s with every global set-up at once', (platform) => {
  let database: TestDatabase;
  let host: Host;
  let target: ContractTarget;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled(
      [typeOrm(database), ShippingModule.forRoot({ http: { path: 'projects/:project_id/sales/orders' } })],
      { providers: [guardOfEachRequest] },
    );
    host = await listening(testing, (app) => hostile(app, platform), platform);
    target = {
      origin: host.origin,
      orderEvents: host.app.get(OrderEvents),
      defaultsProjectId: 'default',
      unwrap: (body) => body['data'],
    };
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  for (const { title, run } of shippingContract(() => target)) it(title, () => run());

  it('gets long histories completely', async () => {
    const shop = new Client(host.origin, freshProject());
    await addEvents(database.dataSource.manager, { projectId: shop.project, orderId: 'long' }, 1000);

    const { status, headers, body } = await shop.send<{ data: { data: unknown[] } }>(
      'GET',
      `${shop.base}/long/events`,
    );

    expect([status, headers.get('content-encoding'), body.data.data.length]).toEqual([200, 'gzip', 1000]);
  });

  it('sends our refusals as problems, and its own in its own form', async () => {
    const shop = new Client(host.origin, freshProject());

    const ours = await shop.create({});
    const theirs = await shop.send('GET', '/api/nowhere');

    expect(ours.headers.get('content-type')).toBe('application/problem+json');
    expect(ours.body).toMatchObject({ status: 400, code: 'validation_failed' });
    expect([theirs.status, theirs.body]).toEqual([404, { message: ['Cannot GET /api/nowhere'] }]);
  });

  it('adds compression, its session and CORS to our answers', async () => {
    const shop = new Client(host.origin, freshProject());

    const { headers } = await shop.create({ carrier_code: 'ups', method_code: '03', method_label: 'Ground' });

    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('set-cookie')).toBe(platform === 'Express' ? 'sid=1' : null);
  });
});
