import { type ShippingMethodDto, ShippingMethods, type UpsertShippingMethodRequest } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

describe('a method with use_default', () => {
  let app: TestApp;
  let defaults: Client;
  let shop: Client;
  let methods: ShippingMethods;
  const codes = { carrier_code: 'ups', method_code: '03' };
  const own = {
    ...codes,
    carrier_label: 'Own carrier',
    method_label: 'Own',
    sort_order: 5,
    meta: { own: 1 },
  };

  beforeAll(async () => {
    app = await testApp({ shipping: { defaultsProjectId: 'defaults' } });
    defaults = new Client(app.origin, 'defaults');
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());
  beforeEach(async () => {
    shop = new Client(app.origin, freshProject());
    for (const { id } of (await defaults.list()).body.data) await defaults.remove(id);
  });

  it('shows its own values until there is a default, and then the inherited values at once', async () => {
    const { body: before } = await shop.create({ ...own, use_default: true });
    await defaults.create({ ...codes, method_label: 'Default', carrier_label: 'UPS', is_active: false });

    const { body: after } = await shop.list();

    expect(before).toMatchObject({ ...own, inherited: [], own: {} });
    expect(after.data).toEqual([
      {
        ...before,
        carrier_label: 'UPS',
        method_label: 'Default',
        sort_order: 0,
        meta: {},
        etag: expect.not.stringMatching(before.etag),
        inherited: ['carrier_label', 'method_label', 'sort_order', 'meta'],
        own: { carrier_label: 'Own carrier', method_label: 'Own', sort_order: 5, meta: { own: 1 } },
      },
    ]);
  });

  it('inherits until an update ends use_default, also after another method is removed', async () => {
    await defaults.create({ ...codes, method_label: 'Default' });
    const { body: inheriting } = await shop.create(own);
    const { body: neighbour } = await shop.create({ ...codes, method_code: '01', method_label: 'Other' });
    const label = async (): Promise<string | undefined> =>
      (await shop.list(`filter[id]=${inheriting.id}`)).body.data[0]?.method_label;

    const labels = [await label()];
    await shop.update(inheriting.id, { ...own, use_default: true });
    labels.push(await label());
    await shop.remove(neighbour.id);
    labels.push(await label());
    await shop.update(inheriting.id, { ...codes, method_label: 'Own', use_default: false });
    labels.push(await label());

    expect(labels).toEqual(['Own', 'Default', 'Default', 'Own']);
  });

  it('shows its own label where the default has none', async () => {
    await defaults.create({ ...codes, method_label: 'Default' });

    const { body } = await shop.create({ ...own, use_default: true });

    expect(body.carrier_label).toBe('Own carrier');
    expect(body.inherited).toEqual(['method_label', 'sort_order', 'meta']);
    expect(body.own).toEqual({ method_label: 'Own', sort_order: 5, meta: { own: 1 } });
  });

  it('keeps its own values when a form sends back the inherited ones, and shows them again without use_default', async () => {
    await defaults.create({ ...codes, method_label: 'Default', meta: { a: 1, b: 2 } });
    const { body: loaded } = await shop.create({ ...own, use_default: true });
    const { carrier_label, method_label, sort_order, is_active, use_default } = loaded;
    const form = { ...codes, carrier_label, method_label, sort_order, is_active, use_default };

    const unchanged = await shop.update(loaded.id, { ...form, meta: { b: 2, a: 1 } });
    const renamed = await shop.update(loaded.id, { ...form, carrier_label: 'New' });
    const off = await shop.update(loaded.id, { ...codes, method_label: 'Own', use_default: false });

    expect(unchanged.body).toEqual(loaded);
    expect(renamed.body).toMatchObject({ version: 2, carrier_label: 'New', own: { method_label: 'Own' } });
    expect(off.body).toMatchObject({ ...own, carrier_label: 'New', version: 3, inherited: [], own: {} });
  });

  it.each<
    [way: string, change: (id: string, sent: UpsertShippingMethodRequest) => Promise<ShippingMethodDto>]
  >([
    ['the route', async (id, sent) => (await shop.update(id, sent)).body],
    ['update', (id, sent) => methods.update(shop.project, id, sent)],
    ['upsert', (_id, sent) => methods.upsert(shop.project, sent)],
    [
      'upsert in a transaction',
      (_id, sent) =>
        app.database.dataSource.transaction((manager) => methods.upsert(shop.project, sent, { manager })),
    ],
  ])(
    'resets an own value by an explicit null, also where it inherits what null means: %s',
    async (_way, change) => {
      await defaults.create({ ...codes, method_label: 'Default' });
      const { body: loaded } = await shop.create({ ...own, use_default: true });

      const kept = await change(loaded.id, { ...own, carrier_label: null, sort_order: 0, meta: {} });
      const reset = await change(loaded.id, { ...own, carrier_label: null, sort_order: null, meta: null });

      expect(kept).toMatchObject({ carrier_label: null, own: { sort_order: 5, meta: { own: 1 } } });
      expect(reset).toMatchObject({ version: 3, use_default: true, own: { sort_order: 0, meta: {} } });
    },
  );

  it('recognizes an inherited 0 that a form sends back as -0', async () => {
    await defaults.create({ ...codes, method_label: 'Default' });
    const { body } = await shop.create({ ...own, use_default: true });

    const same = await shop.update(
      body.id,
      `{"carrier_code":"ups","method_code":"03","method_label":"Default","sort_order":-0}`,
    );

    expect(same.body).toMatchObject({ version: 1, own: { sort_order: 5 } });
  });

  it('is sorted, searched, filtered and put into the tree by the values it shows', async () => {
    await defaults.create({
      ...codes,
      method_label: 'Zebra express',
      carrier_label: 'Brown',
      sort_order: -9,
    });
    await shop.create({ ...own, use_default: true });
    await shop.create({ ...codes, method_code: '99', method_label: 'Other' });

    const labels = async (query: string): Promise<string[]> =>
      (await shop.list(query)).body.data.map((method) => method.method_label);

    expect(await labels('')).toEqual(['Zebra express', 'Other']);
    expect(await labels('q=zebra brown')).toEqual(['Zebra express']);
    expect(await labels('q=own carrier')).toEqual([]);
    expect(await labels('filter[sort_order]=-9')).toEqual(['Zebra express']);
    expect(await labels('filter[method_label]=Own')).toEqual([]);
    expect(await labels('raw_filters=[{"field":"carrier_label","op":"starts","value":"bro"}]')).toEqual([
      'Zebra express',
    ]);
    expect((await shop.tree()).body.data).toMatchObject([{ carrier_label: 'Brown', sort_order: -9 }]);
  });

  it('is on the page that its inherited sort_order gives it', async () => {
    await defaults.create({ ...codes, method_label: 'Default', sort_order: -9 });
    await shop.create({ ...own, sort_order: 9, use_default: true });
    await shop.create({ ...codes, method_code: '99', method_label: 'Other', sort_order: 0 });

    const pages = [await shop.list('per_page=1'), await shop.list('per_page=1&page=2')];

    expect(pages.map(({ body }) => body.data.map(({ method_label }) => method_label))).toEqual([
      ['Default'],
      ['Other'],
    ]);
  });

  it('is found by its own carrier label where the default has none, but not by a hidden label', async () => {
    await defaults.create({ ...codes, method_label: 'Default' });
    await shop.create({ ...own, use_default: true });

    const totals: Record<string, number> = {};
    for (const word of ['own carrier', 'carrier', 'default', 'default carrier'])
      totals[word] = (await shop.list(`q=${encodeURIComponent(word)}`)).body.meta.total;

    expect(totals).toEqual({
      'own carrier': 1,
      carrier: 1,
      default: 1,
      'default carrier': 1,
    });
    expect(
      (await shop.list('raw_filters=[{"field":"method_label","op":"contains","value":"own"}]')).body.data,
    ).toEqual([]);
  });

  it('counts as identical when its create request is repeated, whatever values it shows', async () => {
    await defaults.create({ ...codes, carrier_label: 'UPS', method_label: 'Default', meta: { a: 1 } });
    const { body: first } = await shop.create({ ...own, use_default: true });

    const same = await shop.create({ ...own, use_default: true });
    const shown = await shop.create({
      ...codes,
      carrier_label: first.carrier_label,
      method_label: first.method_label,
      sort_order: first.sort_order,
      meta: first.meta,
      use_default: true,
    });

    expect(same).toMatchObject({ status: 409, body: { existing_id: first.id, identical: true } });
    expect(shown).toMatchObject({ status: 409, body: { existing_id: first.id, identical: false } });
  });

  it('changes the ETag of its tree when only the default changes', async () => {
    const { body: origin } = await defaults.create({ ...codes, method_label: 'Default' });
    await shop.create({ ...own, use_default: true });
    const before = (await shop.tree()).headers.get('etag') ?? '';
    const held = await shop.tree({ 'if-none-match': before });

    await defaults.update(origin.id, { ...codes, method_label: 'Changed' });
    const after = await shop.tree({ 'if-none-match': before });

    expect(held.status).toBe(304);
    expect(held.text).toBe('');
    expect(after.status).toBe(200);
    expect(after.body.data[0]?.methods[0]?.method_label).toBe('Changed');
  });

  it('inherits nothing in the defaults project itself', async () => {
    const { body } = await defaults.create({ ...own, use_default: true });

    expect(body).toMatchObject({ ...own, use_default: true, inherited: [], own: {} });
  });
});
