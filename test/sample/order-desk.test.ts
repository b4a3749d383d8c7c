import { Logger } from '@nestjs/common';
import { type OrderEventPage } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DeskOrder } from '../../apps/sample/src/order-desk/desk-order.entity.js';
import { type Answer, Client, freshProject } from '../support/client.js';
import { engine } from '../support/database.js';
import { type SampleApp, sampleApp } from './sample-app.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const chosen = { carrier_code: 'ups', method_code: '03' };

describe('the order desk', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp();
  });
  afterAll(() => app?.close());

  const shopOf = (project = freshProject()): Client => new Client(app.origin, project);
  const desk = (shop: Client): string => `/api/projects/${shop.project}/desk`;
  const place = (shop: Client, body: unknown, key?: string): Promise<Answer<Record<string, unknown>>> =>
    shop.send('POST', `${desk(shop)}/orders`, body, key === undefined ? {} : { 'idempotency-key': key });
  const orders = (shop: Client): Promise<number> =>
    app.database.dataSource.manager.countBy(DeskOrder, { projectId: shop.project });

  it('places an order, and records the chosen method in its history', async () => {
    const shop = shopOf();
    const { body: method } = await shop.create(ground);

    const placed = await place(shop, { order_id: '2001', ...chosen });

    expect(placed).toMatchObject({ status: 201, body: { order_id: '2001', method_id: method.id } });
    expect((await shop.events('2001')).body.data).toMatchObject([
      { type: 'order.placed', data: { origin: 'desk' }, actor: { type: 'app', id: 'order-desk' } },
      { type: 'shipping.selected', message: 'UPS Ground', data: { ...chosen, method_id: method.id } },
    ]);
    expect(await orders(shop)).toBe(1);
  });

  it('refuses to place the same order again, and records nothing more', async () => {
    const shop = shopOf();
    await shop.create(ground);
    await place(shop, { order_id: '2001', ...chosen });

    const again = await Promise.all([1, 2].map(() => place(shop, { order_id: '2001', ...chosen })));

    expect(again.map(({ status, body }) => [status, body['code']])).toEqual([
      [409, 'order_exists'],
      [409, 'order_exists'],
    ]);
    expect((await shop.events('2001')).body.data).toHaveLength(2);
  });

  it('places one order when the same key comes eight times at once', async () => {
    const shop = shopOf();
    await shop.create(ground);
    const repeat = (): Promise<Answer<unknown>> => place(shop, { order_id: '2001', ...chosen }, 'key-1');

    const answers = await Promise.all(Array.from({ length: 8 }, repeat));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await orders(shop)).toBe(1);
    expect((await shop.events('2001')).body.data).toHaveLength(2);
  });

  it('refuses the same order with another key, and a key that is blank', async () => {
    const shop = shopOf();
    await shop.create(ground);
    await place(shop, { order_id: '2001', ...chosen }, 'key-1');

    const other = await place(shop, { order_id: '2001', ...chosen }, 'key-2');
    const blank = await place(shop, { order_id: '2002', ...chosen }, '');

    expect(other).toMatchObject({ status: 409, body: { code: 'order_exists' } });
    expect(blank).toMatchObject({ status: 400, body: { errors: [{ header: 'idempotency-key' }] } });
    expect((await shop.events('2001')).body.data).toHaveLength(2);
  });

  it('leaves the key free when the method is refused', async () => {
    const shop = shopOf();
    await shop.create(ground);

    const refused = await place(shop, { order_id: '2001', ...chosen, method_code: '99' }, 'key-1');
    const placed = await place(shop, { order_id: '2001', ...chosen }, 'key-1');

    expect([refused.status, placed.status]).toEqual([404, 201]);
  });

  it('writes a note once for each key, and pages the history by kind', async () => {
    const shop = shopOf();
    const order = `${desk(shop)}/orders/2001`;
    const note = (message: unknown, key: string): Promise<Answer<Record<string, unknown>>> =>
      shop.send('POST', `${order}/notes`, { message }, { 'idempotency-key': key });
    await shop.create(ground);
    await place(shop, { order_id: '2001', ...chosen });

    const first = await note('one', 'a');
    await note('one', 'a');
    await note('two', 'b');
    const read = (query: string): Promise<Answer<OrderEventPage>> =>
      shop.send('GET', `${order}/events?newestFirst=true&limit=1&${query}`);
    const { body: newest } = await read('types=note.added');
    const { body: last } = await read(`types=note.added&cursor=${newest.next}`);

    const by = { type: 'user', label: 'Operator' };
    expect(first).toMatchObject({ status: 201, body: { type: 'note.added', message: 'one', actor: by } });
    expect(first.body).not.toHaveProperty('repeated');
    expect(newest).toMatchObject({ events: [{ message: 'two' }], next: expect.any(String) });
    expect(last).toMatchObject({ events: [{ message: 'one' }], next: null });
    expect((await read('types=order.placed&types=shipping.selected')).body).toMatchObject({
      events: [{ type: 'shipping.selected' }],
    });
    expect((await note(' ', 'c')).body).toMatchObject({ errors: [{ pointer: '/message' }] });
  });

  it('refuses every fault of the query of a history at once', async () => {
    const shop = shopOf();
    const query = 'limit=x&types=A&newestFirst=yes&cursor=x&page=2';

    const { status, body } = await shop.send<{ errors: { parameter: string }[] }>(
      'GET',
      `${desk(shop)}/orders/2001/events?${query}`,
    );

    expect(status).toBe(400);
    expect(body.errors.map(({ parameter }) => parameter).toSorted()).toEqual(
      ['page', 'limit', 'types', 'newestFirst', 'cursor'].toSorted(),
    );
  });

  it('gives a new project the methods of the defaults project once', async () => {
    const [shop, codes] = [shopOf(), { ...ground, carrier_code: freshProject() }];
    await shopOf('default').create(codes);
    const adopt = (): Promise<Answer<unknown>> =>
      shop.send('POST', `/api/projects/${shop.project}/desk/defaults`);

    const statuses = [(await adopt()).status, (await adopt()).status];

    const { body } = await shop.list(`filter[carrier_code]=${codes.carrier_code}`);
    expect(statuses).toEqual([204, 204]);
    expect(body.data).toMatchObject([{ method_label: 'UPS Ground', use_default: true, version: 1 }]);
  });

  it.each([
    ['same-origin', undefined, 204, 1],
    ['cross-site', undefined, 403, 0],
    ['same-site', undefined, 403, 0],
    // A proxy may send another Host.
    ['same-origin', 'https://proxy.example', 204, 1],
    // Over plain HTTP, browsers send no Sec-Fetch-Site.
    [undefined, 'own', 204, 1],
    [undefined, 'http://other.example', 403, 0],
    [undefined, 'null', 403, 0],
  ])(
    'answers a page with Sec-Fetch-Site %s and Origin %s that adopts the defaults with %i',
    async (site, origin, expected, total) => {
      const [shop, codes] = [shopOf(), { ...ground, carrier_code: freshProject() }];
      await shopOf('default').create(codes);

      const path = `/api/projects/${shop.project}/desk/defaults`;
      const { status } = await shop.send('POST', path, undefined, {
        ...(site && { 'sec-fetch-site': site }),
        ...(origin && { origin: origin === 'own' ? app.origin : origin }),
      });

      const { body } = await shop.list(`filter[carrier_code]=${codes.carrier_code}`);
      expect([status, body.meta.total]).toEqual([expected, total]);
    },
  );

  it.each([
    ['unknown', { method_code: '99' }, 404, 'method_not_found'],
    ['invalid', { method_code: '\0\ud800' }, 404, 'method_not_found'],
    ['inactive', { method_code: 'off' }, 409, 'method_inactive'],
  ])('refuses an %s method, and stores neither an order nor an event', async (_what, other, status, code) => {
    const shop = shopOf();
    await shop.create(ground);
    await shop.create({ ...ground, method_code: 'off', is_active: false });

    const answer = await place(shop, { order_id: '2001', ...chosen, ...other });

    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await orders(shop)).toBe(0);
    expect((await shop.events('2001')).body.data).toEqual([]);
  });

  it("does not see another project's methods", async () => {
    const [shop, other] = [shopOf(), shopOf()];
    await other.create(ground);

    const answer = await place(shop, { order_id: '2001', ...chosen });

    expect(answer).toMatchObject({ status: 404, body: { code: 'method_not_found' } });
  });

  it('rolls back the order and its first event when the second event fails', async () => {
    Logger.overrideLogger(false);
    onTestFinished(() => Logger.overrideLogger(['warn', 'error', 'fatal']));
    const shop = shopOf();
    await shop.create(ground);
    await engine.refuse(app.database.dataSource.manager, {
      table: 'shipping_order_event',
      on: 'INSERT',
      where: { project_id: shop.project, type: 'shipping.selected' },
      message: 'no',
    });

    const answer = await place(shop, { order_id: '2001', ...chosen });

    expect(answer.status).toBe(500);
    expect(await orders(shop)).toBe(0);
    expect((await shop.events('2001')).body.data).toEqual([]);
  });

  it('has entities that agree with its migration', async () => {
    const { upQueries } = await app.database.dataSource.driver.createSchemaBuilder().log();

    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('prevents the removal of a method that an order refers to', async () => {
    const shop = shopOf();
    const { body: method } = await shop.create(ground);
    await place(shop, { order_id: '2001', ...chosen });

    const removal = await shop.remove(method.id);

    expect(removal).toMatchObject({ status: 409, body: { code: 'method_in_use' } });
    expect(await shop.list()).toMatchObject({ body: { meta: { total: 1 } } });
  });

  it.each([
    ['a request without a body', undefined, ['/order_id', '/carrier_code', '/method_code']],
    ['a list', [], ['/order_id', '/carrier_code', '/method_code']],
    ['an id with a slash', { order_id: 'a/b', ...chosen }, ['/order_id']],
    [
      'numbers',
      { order_id: 1, carrier_code: 2, method_code: 3 },
      ['/order_id', '/carrier_code', '/method_code'],
    ],
    [
      'an overlong code',
      { order_id: '1', carrier_code: 'u'.repeat(65), method_code: '03' },
      ['/carrier_code'],
    ],
    [
      'a deeply nested value',
      `{"order_id":${'['.repeat(1e5)}${']'.repeat(1e5)},"carrier_code":"ups","method_code":"03"}`,
      ['/order_id'],
    ],
  ])('refuses %s and names the fields', async (_what, body, pointers) => {
    const answer = await place(shopOf(), body);

    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(answer.body['errors']).toEqual(pointers.map((pointer) => expect.objectContaining({ pointer })));
  });
});
