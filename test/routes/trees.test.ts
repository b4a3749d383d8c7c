import { type ShippingMethodDto, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { addMethods } from '../support/rows.js';

describe.each(adapters)('the tree on %s', (adapter) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ adapter });
  });
  afterAll(() => app?.close());

  /** A project with `count` methods of 7 carriers. Every third method has no carrier label. */
  const filled = async (count: number): Promise<Client> => {
    const shop = new Client(app.origin, freshProject());
    await addMethods(app.database.dataSource.manager, shop.project, count, (n) => ({
      carrierCode: `c${n % 7}`,
      carrierLabel: n % 3 > 0 ? `Carrier ${n % 7}` : null,
      isActive: n % 2 === 0,
      sortOrder: n % 11,
      meta: { n: 1 },
    }));
    return shop;
  };

  it.each([77, 1777, 10_000])('of %i methods has the methods of the list, in its order', async (count) => {
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

  it('has carriers and methods of one sort_order in the order of their codes, by code point', async () => {
    const shop = new Client(app.origin, freshProject());
    const inOrder = ['A', 'Z', 'a', 'a b', 'a-', 'a1', 'ab', 'é', '中'];
    for (const code of inOrder.toReversed()) {
      await shop.create({ carrier_code: code, method_code: 'm', method_label: 'Label' });
      await shop.create({ carrier_code: 'one', method_code: code, method_label: 'Label', sort_order: 1 });
    }

    const { data } = (await shop.tree()).body;

    expect(data.map(({ carrier_code }) => carrier_code)).toEqual([...inOrder, 'one']);
    expect(data.at(-1)?.methods.map(({ method_code }) => method_code)).toEqual(inOrder);
  });

  it('shows inherited values', async () => {
    const shop = await filled(900);
    await new Client(app.origin, 'default').create({
      carrier_code: 'inheriting',
      carrier_label: 'Inherited',
      method_code: 'm',
      method_label: 'Default',
      sort_order: -5,
    });
    await shop.create({
      carrier_code: 'inheriting',
      method_code: 'm',
      method_label: 'Own',
      use_default: true,
    });

    const { body } = await shop.tree();

    expect(body.data[0]).toMatchObject({
      carrier_code: 'inheriting',
      carrier_label: 'Inherited',
      sort_order: -5,
      methods: [{ method_label: 'Default', own: { method_label: 'Own' } }],
    });
    expect(body.data).toHaveLength(8);
  });

  it('is answered while another client writes all the time', async () => {
    const shop = await filled(900);
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
      expect(methods).toBeGreaterThanOrEqual(900);
    }
  });
});
