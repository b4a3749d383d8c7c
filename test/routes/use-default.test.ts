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
        sort_order: 0,
        meta: {},
        etag: expect.not.stringMatching(before.etag),
        inherited: ['carrier_label', 'method_label', 'sort_order', 'meta'],
        own: { carrier_label: 'Own carrier', method_label: 'Own', sort_order: 5, meta: { own: 1 } },
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

  it('keeps its own values when a form sends back the inherited ones', async () => {
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

  it('sets an own value back to its default by an explicit null', async () => {
    await defaults.create({ ...codes, method_label: 'Default' });
    const { id } = (await shop.create({ ...own, use_default: true })).body;

    const kept = await shop.update(id, { ...own, carrier_label: null, sort_order: -0, meta: {} });
    const reset = await shop.update(id, { ...own, carrier_label: null, sort_order: null, meta: null });

    expect(kept.body).toMatchObject({ carrier_label: null, own: { sort_order: 5, meta: { own: 1 } } });
    expect(reset.body).toMatchObject({ version: 3, use_default: true, own: { sort_order: 0, meta: {} } });
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

  it('inherits nothing in the defaults project itself', async () => {
    const { body } = await defaults.create({ ...own, use_default: true });

    expect(body).toMatchObject({ ...own, use_default: true, inherited: [], own: {} });
  });
});
