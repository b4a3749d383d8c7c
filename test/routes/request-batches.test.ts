import { ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.each(adapters)('requests of several tenants in one batch on %s', (adapter) => {
  let app: TestApp;
  let methods: ShippingMethods;
  let shops: Client[];
  beforeAll(async () => {
    app = await testApp({ adapter });
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());
  beforeEach(() => {
    shops = Array.from({ length: 6 }, () => new Client(app.origin, freshProject()));
  });

  /** Does the same for all shops at the same time. */
  const each = <Result>(work: (shop: Client, index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(shops.map(work));
  const projects = (): string[] => shops.map(({ project }) => project);

  it('write the same codes into their own projects, and get their own methods back', async () => {
    const created = await each((shop, index) => shop.create({ ...ground, sort_order: index }));
    const updated = await each((shop, index) =>
      shop.update(created[index]?.body.id ?? '', { ...ground, method_label: `Of ${index}` }),
    );

    for (const answers of [created, updated])
      expect(answers.map(({ body }) => [body.project_id, body.sort_order])).toEqual(
        projects().map((project, index) => [project, index]),
      );
    expect(updated.map(({ body }) => body.method_label)).toEqual(shops.map((_, index) => `Of ${index}`));
  });

  it('find methods of their own projects only, by codes and by ids', async () => {
    // The last shop has no such method.
    await Promise.all(shops.slice(0, -1).map((shop) => shop.create(ground)));

    const byCodes = await each(({ project }) => methods.findByCodes(project, 'ups', '03'));
    const byOwnIds = await each(({ project }, index) =>
      methods.find(project, byCodes[index]?.id ?? '').catch((error: { code: string }) => error.code),
    );
    const byOthersIds = await each(({ project }, index) =>
      methods
        .find(project, byCodes[index === 0 ? 1 : 0]?.id ?? '')
        .catch((error: { code: string }) => error.code),
    );

    expect(byCodes.map((method) => method?.project_id)).toEqual([...projects().slice(0, -1), undefined]);
    expect(byOwnIds).toEqual([...byCodes.slice(0, -1), 'method_not_found']);
    expect(byOthersIds).toEqual(shops.map(() => 'method_not_found'));
  });

  it('look up by codes and by ids at once, and find each what it asked for', async () => {
    const created = await each(({ project }) => methods.create(project, ground));

    const found = await Promise.all([
      ...projects().map((project) => methods.findByCodes(project, 'ups', '03')),
      ...created.map(({ project_id, id }) => methods.find(project_id, id)),
      methods.findByCodes(projects()[0] ?? '', 'ups', 'nothing'),
      ...projects().map((project) => methods.findByCodes(project, 'ups', '03')),
    ]);

    expect(found).toEqual([...created, ...created, null, ...created]);
  });

  it('get the ETags of their own projects, so that a change in one leaves the others at 304', async () => {
    await each((shop) => shop.create(ground));
    const etags = (await each((shop) => shop.list())).map(({ headers }) => headers.get('etag') ?? '');
    const statuses = async (): Promise<number[]> => {
      // In another order each time.
      shops.reverse();
      etags.reverse();
      return (await each((shop, index) => shop.list('', { 'if-none-match': etags[index] ?? '' }))).map(
        ({ status }) => status,
      );
    };

    const held = [await statuses(), await statuses()];
    await shops[0]?.create({ ...ground, method_code: '01' });
    const afterChange = [await statuses(), await statuses()];
    const totals = (await each(({ project }) => methods.list(project))).map(({ meta }) => meta.total);

    expect(held).toEqual([Array(6).fill(304), Array(6).fill(304)]);
    expect(afterChange).toEqual([
      [...Array(5).fill(304), 200],
      [200, ...Array(5).fill(304)],
    ]);
    expect(totals).toEqual([2, 1, 1, 1, 1, 1]);
  });

  it('count every method with use_default, also when several are created in one batch', async () => {
    const defaults = new Client(app.origin, 'default');
    const codes = ['a', 'b', 'c'].map((method_code) => ({ ...ground, method_code }));
    for (const method of codes) await defaults.create({ ...method, method_label: 'Default' });
    const [shop] = shops;
    // The first method of a project is not written in a batch.
    await shop?.create({ ...ground, carrier_code: 'first' });

    const created = await Promise.all(codes.map((method) => shop?.create({ ...method, use_default: true })));
    for (const answer of created.slice(1)) await shop?.remove(answer?.body.id ?? '');

    expect((await shop?.list())?.body.data).toMatchObject([
      { carrier_code: 'first' },
      { method_label: 'Default' },
    ]);
    for (const { id } of (await defaults.list()).body.data) await defaults.remove(id);
  });
});
