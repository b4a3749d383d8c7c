import { get, type Server, type ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { type ShippingMethodDto, ShippingMethods, type ShippingTree } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { adapters, type TestApp, testApp } from './support/app.js';
import { Client, freshProject } from './support/client.js';
import { serverUrl } from './support/database.js';

describe.each(adapters)('a tree of many methods on %s', (adapter) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ adapter });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  /**
   * A project of `count` methods of 7 carriers, every third without a label of its carrier.
   * @param bytes that each has in its `meta`
   */
  const filled = async (count: number, bytes = 1): Promise<Client> => {
    const shop = new Client(app.origin, freshProject());
    const { dataSource, table } = app.database;
    await dataSource.query(
      `INSERT INTO ${table('shipping_method')} (project_id, id, carrier_code, carrier_label, method_code,
         method_label, is_active, sort_order, meta, use_default, search_text, version, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'c' || n % 7, CASE WHEN n % 3 > 0 THEN 'Carrier ' || n % 7 END, 'm' || n,
         'Label', n % 2 = 0, n % 11, jsonb_build_object('n', repeat('1', $3::int)), false, 'x', 1, now(), now()
       FROM generate_series(1, $2::int) AS n`,
      [shop.project, count, bytes],
    );
    await dataSource.query(`INSERT INTO ${table('shipping_project')} VALUES ($1, gen_random_uuid(), $2, 0)`, [
      shop.project,
      count,
    ]);
    return shop;
  };

  it.each([1000, 1001, 1777])('of %i is the one that its list makes', async (count) => {
    const shop = await filled(count);
    const listed: ShippingMethodDto[] = [];
    for (let page = 1; listed.length < count; page++) {
      listed.push(...(await shop.list(`page=${page}&per_page=100`)).body.data);
    }

    const { body, headers } = await shop.tree();
    const ofService = await app.nest.get(ShippingMethods).tree(shop.project);

    const carriers = [...new Set(listed.map(({ carrier_code }) => carrier_code))];
    expect(body.data.map(({ carrier_code }) => carrier_code)).toEqual(carriers);
    for (const { methods, ...carrier } of body.data) {
      const own = listed.filter(({ carrier_code }) => carrier_code === carrier.carrier_code);
      expect(methods).toEqual(own);
      expect(carrier).toEqual({
        carrier_code: carrier.carrier_code,
        carrier_label: `Carrier ${carrier.carrier_code.slice(1)}`,
        is_active: true,
        sort_order: Math.min(...own.map(({ sort_order }) => sort_order)),
      });
    }
    expect(ofService).toEqual(body);
    expect((await shop.tree({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('shows what its methods inherit', async () => {
    const shop = await filled(1500);
    await new Client(app.origin, 'default').create({
      carrier_code: 'followed',
      carrier_label: 'Followed',
      method_code: 'm',
      method_label: 'Default',
      sort_order: -5,
    });
    await shop.create({
      carrier_code: 'followed',
      method_code: 'm',
      method_label: 'Own',
      use_default: true,
    });

    const { body } = await shop.tree();

    expect(body.data[0]).toMatchObject({
      carrier_code: 'followed',
      carrier_label: 'Followed',
      sort_order: -5,
      methods: [{ method_label: 'Default', own: { method_label: 'Own' } }],
    });
    expect(body.data).toHaveLength(8);
  });

  it('is answered while somebody writes all the time', async () => {
    const shop = await filled(1500);
    const over = new AbortController();
    const writer = (async () => {
      for (let n = 0; !over.signal.aborted; n++)
        await shop.create({ carrier_code: 'new', method_code: `m${n}`, method_label: 'L' });
    })();

    const answers: [status: number, methods: number][] = [];
    for (let read = 0; read < 10; read++) {
      const { status, body } = await shop.tree();
      answers.push([status, body.data.reduce((sum, { methods }) => sum + methods.length, 0)]);
    }
    over.abort();
    await writer;

    for (const [status, methods] of answers) {
      expect(status).toBe(200);
      expect(methods).toBeGreaterThanOrEqual(1500);
    }
  });

  // Which of them breaks off how is in the spec of the response.
  describe.runIf(serverUrl || adapter === 'express')('that is half sent', () => {
    /** More than sockets hold. */
    const large = (): Promise<Client> => filled(1500, 15_000);

    /** @param change made while the client has a part of the tree */
    const readDuring = (shop: Client, change: () => Promise<unknown>): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        get(`${app.origin}${shop.base}/shipments/methods/tree`, (response) => {
          let text = '';
          response.on('data', (piece) => (text += piece));
          response.once('data', () => {
            response.pause();
            change().then(() => response.resume(), reject);
          });
          response.on('end', () => resolve(text));
          response.on('error', () => resolve(undefined));
        }).on('error', reject);
      });

    it('breaks off when a method that is to come changes, and says so', async () => {
      const shop = await large();
      const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      const [last] = await app.database.dataSource.query<{ id: string }[]>(
        `SELECT id FROM ${app.database.table('shipping_method')} WHERE project_id = $1
         ORDER BY carrier_code DESC, sort_order DESC, method_code DESC LIMIT 1`,
        [shop.project],
      );

      const text = await readDuring(shop, () =>
        shop.update(last?.id ?? '', { carrier_code: 'c6', method_code: 'last', method_label: 'Changed' }),
      );

      expect(text).toBeUndefined();
      expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('A method changed'));
    });

    it('breaks off when a default of a method that is to come changes', async () => {
      const shop = await large();
      const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      const last = { carrier_code: 'z', method_code: 'followed', method_label: 'Own' };
      const defaults = new Client(app.origin, 'default');
      const { body: origin } = await defaults.create({ ...last, sort_order: 99 });
      await shop.create({ ...last, use_default: true });

      const text = await readDuring(shop, () =>
        defaults.update(origin.id, { ...last, method_label: 'Changed' }),
      );

      expect(text).toBeUndefined();
      expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('A method changed'));
    });

    it.each([false, true])(
      'goes on to show its moment when another method comes (use_default: %j)',
      async (use_default) => {
        const shop = await large();

        const text = await readDuring(shop, () =>
          shop.create({ carrier_code: 'new', method_code: 'm', method_label: 'L', use_default }),
        );

        const { data } = JSON.parse(text ?? '{}') as ShippingTree;
        expect(data.reduce((sum, { methods }) => sum + methods.length, 0)).toBe(1500);
        expect(data.map(({ carrier_code }) => carrier_code)).not.toContain('new');
      },
    );
  });

  it.skipIf(!serverUrl)('stops without a word when the client goes away', async () => {
    const shop = await filled(25_000);
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const read = vi.spyOn(app.database.dataSource.logger, 'logQuery');

    const server = app.nest.getHttpServer() as Server;
    const left = new Promise((resolve) =>
      server.once('request', (_request, response: ServerResponse) => response.once('close', resolve)),
    );

    get(`${app.origin}${shop.base}/shipments/methods/tree`, (response) => {
      response.once('data', () => response.destroy());
    }).on('error', () => undefined);
    await left;
    // A batch may be under way; the ones after it would be read beside these.
    const soFar = read.mock.calls.length;
    for (let n = 0; n < 20; n++) await app.database.dataSource.query('SELECT 1');

    expect(read.mock.calls.length).toBeLessThanOrEqual(soFar + 20 + 1);
    expect(read.mock.calls.length).toBeLessThan(125);
    expect(logged).not.toHaveBeenCalled();
  });
});
