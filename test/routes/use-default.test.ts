import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { Client } from '../support/client.js';

describe('a method with use_default', () => {
  const host = mounted({ shipping: { defaultsProjectId: 'defaults' } });
  let defaults: Client;
  let shop: Client;
  const codes = { carrier_code: 'ups', method_code: '03' };
  const own = {
    ...codes,
    carrier_label: 'Own carrier',
    method_label: 'Own',
    sort_order: 5,
    meta: { own: 1 },
  };

  beforeAll(async () => {
    defaults = new Client(host.app.origin, 'defaults');
  });
  beforeEach(async () => {
    shop = host.shop();
    for (const { id } of (await defaults.list()).body.data) await defaults.remove(id);
  });

  it('shows its own values until there is a default, then the inherited values', async () => {
    const { body: before } = await shop.create({ ...own, use_default: true });
    await defaults.create({ ...codes, method_label: 'Default', carrier_label: 'UPS', is_active: false });

    const { body: after } = await shop.list();

    expect(before).toMatchObject({ ...own, inherited: [], own: {} });
    expect(after.data).toEqual([
      {
        ...before,
        carrier_label: 'UPS',
        method_label: 'Default',
        is_active: false,
        sort_order: 0,
        meta: {},
        etag: expect.not.stringMatching(before.etag),
        inherited: ['carrier_label', 'method_label', 'sort_order', 'meta', 'is_active'],
        own: {
          carrier_label: 'Own carrier',
          method_label: 'Own',
          sort_order: 5,
          meta: { own: 1 },
          is_active: true,
        },
      },
    ]);
  });

  it.each(['created', 'updated'])(
    'beside one that inherits already shows the default when it is %s',
    async (how) => {
      await defaults.create({ ...codes, method_label: 'Default' });
      await defaults.create({ ...codes, method_code: '99', method_label: 'Other default' });
      const other = { ...own, method_code: '99' };
      await shop.create({ ...own, use_default: true });
      const { body: plain } = how === 'updated' ? await shop.create(other) : { body: undefined };

      const inheriting = { ...other, use_default: true };
      const { body } = plain ? await shop.update(plain.id, inheriting) : await shop.create(inheriting);

      expect(body).toMatchObject({ method_label: 'Other default', own: { method_label: 'Own' } });
      expect((await shop.list('filter[method_code]=99')).body.data).toEqual([body]);
    },
  );

  it('comes back in its shortest form, which the database keeps', async () => {
    await defaults.create({ ...codes, method_label: 'Default', sort_order: 9 });
    const { body: created } = await shop.create({ ...own, use_default: ['is_active', 'sort_order'] });
    const all = ['meta', 'method_label', 'is_active', 'sort_order', 'carrier_label'];

    const listed = await shop.list('filter[use_default]=true');
    const unchanged = await shop.update(created.id, {
      ...own,
      sort_order: 9,
      use_default: ['sort_order', 'is_active'],
    });
    const complete = await shop.update(created.id, { ...own, use_default: all });
    const none = await shop.update(created.id, { ...own, use_default: [] });

    expect(created).toMatchObject({
      use_default: ['sort_order', 'is_active'],
      method_label: 'Own',
      sort_order: 9,
      inherited: ['sort_order', 'is_active'],
      own: { sort_order: 5, is_active: true },
    });
    expect(listed.body.data).toEqual([created]);
    expect(unchanged.body).toEqual(created);
    expect([complete.body.use_default, none.body.use_default]).toEqual([true, false]);
    expect((await shop.list('filter[use_default]=true')).body.data).toEqual([]);
  });

  it.each(['a route', 'a transaction'])(
    'that gets new codes by %s is compared with their default',
    async (by) => {
      await defaults.create({ ...codes, method_label: 'Default' });
      await defaults.create({ ...codes, method_code: '99', method_label: 'Other', sort_order: 4 });
      const { id } = (await shop.create({ ...own, use_default: ['method_label', 'sort_order'] })).body;
      const request = { ...codes, method_code: '99', method_label: 'Other', sort_order: 7 };

      const { project } = shop;
      if (by === 'a route') await shop.update(id, request);
      else
        await host.dataSource.transaction((manager) =>
          host.methods.update(project, id, request, { manager }),
        );

      expect((await shop.list()).body.data).toMatchObject([
        { ...request, use_default: ['method_label'], own: { method_label: 'Own' } },
      ]);
    },
  );

  it('that gets another carrier code alone shows the default of its new codes', async () => {
    await defaults.create({ ...codes, method_label: 'Default' });
    await defaults.create({ ...codes, carrier_code: 'dhl', method_label: 'Other' });
    const { id } = (await shop.create({ ...own, use_default: true })).body;

    const moved = await host.methods.update(shop.project, id, { carrier_code: 'dhl' });

    expect(moved).toMatchObject({
      carrier_code: 'dhl',
      method_code: codes.method_code,
      method_label: 'Other',
    });
    expect(moved).toMatchObject({ use_default: true, own: { method_label: 'Own' } });
  });

  it('is sorted, searched and filtered by the values that it shows', async () => {
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

  // docs/concepts.md shows these examples.
  describe('in the example of the concepts', () => {
    const origin = { ...codes, method_label: 'UPS Ground', sort_order: 10 };
    const isOff = { default: { is_active: false } };
    const others = ['carrier_label', 'sort_order', 'meta', 'is_active'];
    type Step = { default: object } | { acme: object };

    it.each<[steps: Step[], shown: object]>([
      [[{ default: { method_label: 'UPS Standard' } }], { method_label: 'UPS Standard' }],
      [[isOff], { is_active: false }],
      [[isOff, { default: { is_active: true } }], { is_active: true }],
      [[{ acme: { is_active: false } }], { is_active: false, use_default: true }],
      [[{ acme: { is_active: false } }, isOff, { default: { is_active: true } }], { is_active: false }],
      [[{ acme: { method_label: 'Our Ground' } }], { method_label: 'Our Ground', use_default: others }],
      [[{ acme: { ...origin, is_active: true } }], { version: 1, use_default: true }],
      [
        [{ acme: { use_default: false } }, { default: { sort_order: 11 } }],
        { method_label: 'UPS Ground', sort_order: 10, is_active: true, use_default: false },
      ],
      [
        [{ acme: { use_default: false } }, { default: { sort_order: 11 } }, { acme: { use_default: true } }],
        { sort_order: 11, use_default: true },
      ],
      [
        [{ acme: { use_default: ['sort_order'], method_label: 'Our Ground' } }],
        { method_label: 'Our Ground', sort_order: 10, inherited: ['sort_order'] },
      ],
      [
        [isOff, { acme: { is_active: true } }],
        { is_active: true, use_default: ['carrier_label', 'method_label', 'sort_order', 'meta'] },
      ],
      [[isOff, { acme: { is_active: false } }], { version: 1, is_active: false }],
      [[isOff, { acme: { is_active: false } }, { default: { is_active: true } }], { is_active: true }],
    ])('%j shows %j', async (steps, shown) => {
      const { id } = (await defaults.create(origin)).body;
      const acme = await shop.create({ ...codes, method_label: 'Ground', sort_order: 5, use_default: true });

      for (const step of steps) {
        const { method_label } = (await shop.list()).body.data[0] ?? {};
        if ('acme' in step) await shop.update(acme.body.id, { ...codes, method_label, ...step.acme });
        else await defaults.update(id, { ...origin, ...step.default });
      }

      const { data } = (await shop.list()).body;
      expect(data).toMatchObject([shown]);
      expect(await host.methods.findActive(shop.project)).toEqual(data.filter(({ is_active }) => is_active));
    });

    it('a removed default lets the stored values show', async () => {
      const { id } = (await defaults.create(origin)).body;
      await shop.create({ ...codes, method_label: 'Ground', sort_order: 5, use_default: true });

      await defaults.remove(id);

      expect((await shop.list()).body.data).toMatchObject([{ method_label: 'Ground', sort_order: 5 }]);
    });
  });

  it('inherits nothing in the defaults project itself', async () => {
    const { body } = await defaults.create({ ...own, use_default: true });

    expect(body).toMatchObject({ ...own, use_default: true, inherited: [], own: {} });
  });
});
