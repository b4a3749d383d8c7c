import { type ShippingMethodChange, type ShippingMethodDto } from 'nestjs-shipping';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { Client } from '../support/client.js';

describe('the etag of a method', () => {
  const host = mounted({ shipping: { defaultsProjectId: 'defaults' } });
  let defaults: Client;
  let shop: Client;
  const codes = { carrier_code: 'ups', method_code: '03' };
  const own = { ...codes, method_label: 'Own', sort_order: 5 };

  beforeAll(async () => {
    defaults = new Client(host.app.origin, 'defaults');
  });
  beforeEach(async () => {
    shop = host.shop();
    for (const { id } of (await defaults.list()).body.data) await defaults.remove(id);
  });

  const makeDefault = async (): Promise<string> =>
    (await defaults.create({ ...codes, method_label: 'D1' })).body.id;
  const loaded = async (): Promise<ShippingMethodDto> =>
    (await shop.list()).body.data[0] as ShippingMethodDto;
  const formOf = ({ carrier_code, method_code, method_label, sort_order }: ShippingMethodDto) => ({
    carrier_code,
    method_code,
    method_label,
    sort_order,
  });

  it('is its version in quotes, in every response and from every service', async () => {
    const seen: ShippingMethodChange[] = [];
    const subscription = host.methods.changes.subscribe((change) => seen.push(change));

    const created = await shop.create(own);
    const { id } = created.body;
    const listed = await loaded();
    const tree = (await shop.tree()).body.data[0]?.methods[0];
    const found = await host.methods.find(shop.project, id);
    const updated = await shop.update(id, { ...own, sort_order: 6 });
    subscription.unsubscribe();

    expect(created.headers.get('etag')).toBe('"1"');
    for (const method of [created.body, listed, tree, found]) expect(method?.etag).toBe('"1"');
    expect([updated.headers.get('etag'), updated.body.etag]).toEqual(['"2"', '"2"']);
    expect(seen.map(({ before, after }) => [before?.etag, after?.etag])).toEqual([
      [undefined, '"1"'],
      ['"1"', '"2"'],
    ]);
  });

  it('is the same in every response for a method that inherits', async () => {
    await makeDefault();

    const created = await shop.create({ ...own, use_default: true });
    const { id, etag } = created.body;
    const unchanged = await shop.update(id, formOf(created.body), { 'if-match': etag });

    expect(etag).toMatch(/^"1-.+"$/);
    expect(created.headers.get('etag')).toBe(etag);
    expect([unchanged.headers.get('etag'), unchanged.body.etag]).toEqual([etag, etag]);
    expect((await shop.tree()).body.data[0]?.methods[0]?.etag).toBe(etag);
    expect((await host.methods.findOrFail(shop.project, id)).etag).toBe(etag);
    expect((await host.methods.findActive(shop.project))[0]?.etag).toBe(etag);
  });

  it('refuses a form that was loaded before the default changed, and accepts a fresh one', async () => {
    const origin = await makeDefault();
    const { id } = (await shop.create({ ...own, use_default: true })).body;
    const form = await loaded();
    await defaults.update(origin, { ...codes, method_label: 'D2' });

    const late = await shop.update(id, formOf(form), { 'if-match': form.etag });
    const removal = await shop.remove(id, { 'if-match': form.etag });
    const again = await shop.update(id, formOf(await loaded()), { 'if-match': (await loaded()).etag });

    for (const { status, body } of [late, removal])
      expect([status, body]).toMatchObject([412, { code: 'version_mismatch', current_version: 1 }]);
    expect([again.status, again.body.version]).toEqual([200, 1]);
    expect({ ...again.body, ...again.body.own }).toMatchObject(own);
  });

  it.each<[change: string, send: (form: ShippingMethodDto) => Promise<{ status: number }>]>([
    [
      'an update',
      (form) => shop.update(form.id, { ...formOf(form), is_active: false }, { 'if-match': form.etag }),
    ],
    ['a removal', (form) => shop.remove(form.id, { 'if-match': form.etag })],
  ])('refuses %s that is the first call after the default changed', async (_change, send) => {
    const origin = await makeDefault();
    await shop.create({ ...own, use_default: true });
    const form = await loaded();
    await defaults.update(origin, { ...codes, method_label: 'D2' });

    const late = await send(form);

    expect(late.status).toBe(412);
    expect(await loaded()).toMatchObject({ version: 1, is_active: true, method_label: 'D2' });
  });

  it('refuses a form from before the default was created, and the version alone accepts it', async () => {
    const { id, etag } = (await shop.create({ ...own, use_default: true })).body;
    const form = await loaded();
    await makeDefault();

    const late = await shop.update(id, formOf(form), { 'if-match': form.etag });
    const fresh = await loaded();
    const bare = await shop.update(id, formOf(fresh), { 'if-match': '"1"' });

    expect([etag, form.etag]).toEqual(['"1-none"', '"1-none"']);
    expect([late.status, late.body]).toMatchObject([412, { code: 'version_mismatch', current_version: 1 }]);
    expect({ ...fresh, ...fresh.own }).toMatchObject(own);
    expect([bare.status, bare.body.etag]).toEqual([200, fresh.etag]);
  });

  it('names no default in the defaults project, which inherits nothing', async () => {
    const { body } = await defaults.create({ ...codes, method_label: 'D1', use_default: true });

    expect(body.etag).toBe('"1"');
  });

  it('is the same in a transaction that locks a method without a default', async () => {
    const { etag } = (await shop.create({ ...own, use_default: true })).body;

    const locked = await host.dataSource.transaction((manager) =>
      host.methods.findByCodes(shop.project, 'ups', '03', { manager, lock: true }),
    );

    expect([etag, locked?.etag]).toEqual(['"1-none"', '"1-none"']);
  });

  it('protects own values from forms that are sent while the default changes', async () => {
    const origin = await makeDefault();
    const { id } = (await shop.create({ ...own, use_default: true })).body;
    const statuses = new Set<number>();

    for (let round = 0; round < 10; round++) {
      const form = await loaded();
      const change = { ...formOf(form), is_active: round % 2 === 0 };
      const [, response] = await Promise.all([
        defaults.update(origin, { ...codes, method_label: `D ${round}` }),
        shop.update(id, change, { 'if-match': form.etag }),
      ]);
      statuses.add(response.status);
      expect((await loaded()).own).toMatchObject({ method_label: 'Own', sort_order: 5 });
    }

    expect([200, 412]).toEqual(expect.arrayContaining([...statuses]));
  });
});
