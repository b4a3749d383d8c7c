import {
  type ShippingMethodChange,
  type ShippingMethodDto,
  ShippingMethods,
  VersionMismatchError,
} from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

describe('the etag of a method', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let defaults: Client;
  let shop: Client;
  const codes = { carrier_code: 'ups', method_code: '03' };
  const own = { ...codes, method_label: 'Own', sort_order: 5 };

  beforeAll(async () => {
    app = await testApp({ shipping: { defaultsProjectId: 'defaults' } });
    methods = app.nest.get(ShippingMethods);
    defaults = new Client(app.origin, 'defaults');
  });
  afterAll(() => app?.close());
  beforeEach(async () => {
    shop = new Client(app.origin, freshProject());
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

  /** Each prepares the default of a method, and returns a change that can happen to it while a form is open. */
  const defaultChanges: [change: string, () => Promise<() => Promise<unknown>>][] = [
    [
      'changed',
      async () => {
        const id = await makeDefault();
        return () => defaults.update(id, { ...codes, method_label: 'D2' });
      },
    ],
    [
      'removed',
      async () => {
        const id = await makeDefault();
        return () => defaults.remove(id);
      },
    ],
    [
      'replaced by an identical one',
      async () => {
        const id = await makeDefault();
        return async () => {
          await defaults.remove(id);
          await makeDefault();
        };
      },
    ],
  ];

  it('is its version in quotes, in every answer and from every service', async () => {
    const seen: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => seen.push(change));

    const created = await shop.create(own);
    const { id } = created.body;
    const listed = await loaded();
    const tree = (await shop.tree()).body.data[0]?.methods[0];
    const found = await methods.find(shop.project, id);
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

  it('changes when an inherited value changes, while the version stays', async () => {
    const tags: string[] = [];
    const note = async (): Promise<void> => {
      const { version, etag } = await loaded();
      expect(version).toBe(1);
      tags.push(etag);
    };
    await shop.create({ ...own, use_default: true });

    await note();
    for (let made = 0; made < 2; made++) {
      const id = await makeDefault();
      await note();
      await defaults.update(id, { ...codes, method_label: 'D2' });
      await note();
      await defaults.remove(id);
    }
    const [first] = tags;
    const last = (await loaded()).etag;

    expect(new Set(tags).size).toBe(5);
    expect(last).toBe(first);
  });

  it('is the same wherever a method that inherits is read', async () => {
    await makeDefault();

    const created = await shop.create({ ...own, use_default: true });
    const { id, etag } = created.body;
    const unchanged = await shop.update(id, formOf(created.body), { 'if-match': etag });

    expect(etag).toMatch(/^"1-.+"$/);
    expect(created.headers.get('etag')).toBe(etag);
    expect([unchanged.headers.get('etag'), unchanged.body.etag]).toEqual([etag, etag]);
    expect((await shop.tree()).body.data[0]?.methods[0]?.etag).toBe(etag);
    expect((await methods.find(shop.project, id)).etag).toBe(etag);
    expect((await methods.findActive(shop.project))[0]?.etag).toBe(etag);
  });

  it('is its version in quotes in the defaults project, which inherits nothing', async () => {
    const { body } = await defaults.create({ ...own, use_default: true });

    expect([body.etag, body.version]).toEqual(['"1"', 1]);
  });

  it.each(defaultChanges)(
    'refuses a form that was loaded before the default was %s',
    async (_name, prepare) => {
      const change = await prepare();
      const { id } = (await shop.create({ ...own, use_default: true })).body;
      const form = await loaded();
      await change();

      const late = await shop.update(id, formOf(form), { 'if-match': form.etag });
      const removal = await shop.remove(id, { 'if-match': form.etag });
      const again = await shop.update(id, formOf(await loaded()), { 'if-match': (await loaded()).etag });

      for (const { status, body } of [late, removal])
        expect([status, body]).toMatchObject([412, { code: 'version_mismatch', current_version: 1 }]);
      expect([again.status, again.body.version]).toEqual([200, 1]);
      expect({ ...again.body, ...again.body.own }).toMatchObject(own);
    },
  );

  it('accepts a form that was loaded before there was a default, and the own values stay', async () => {
    const { id, etag } = (await shop.create({ ...own, use_default: true })).body;
    const form = await loaded();
    await makeDefault();

    const late = await shop.update(id, formOf(form), { 'if-match': form.etag });

    expect([etag, late.status]).toEqual(['"1"', 200]);
    expect({ ...late.body, ...late.body.own }).toMatchObject(own);
  });

  it('changes when a form from before the default is accepted, while the version stays', async () => {
    const { id } = (await shop.create({ ...own, use_default: true })).body;
    const form = await loaded();
    await makeDefault();

    const answer = await shop.update(id, formOf(form), { 'if-match': form.etag });

    expect([answer.status, answer.body.version, answer.body.method_label]).toEqual([200, 1, 'D1']);
    expect(answer.body.own).toMatchObject({ method_label: 'Own', sort_order: 5 });
    expect(answer.body.etag).not.toBe(form.etag);
  });

  it.each<[what: string, header: (etag: string) => string, status: number]>([
    ['itself', (etag) => etag, 200],
    ['itself in a list', (etag) => `"x", ${etag}`, 200],
    ['the version alone', () => '"1"', 200],
    ['*', () => '*', 200],
    ['itself as a weak one', (etag) => `W/${etag}`, 412],
    ['itself with another version', (etag) => etag.replace('"1', '"2'), 412],
    ['an unknown one', () => '"1-x"', 412],
    ['the version with a leading zero', () => '"01"', 412],
  ])(
    'of a method that inherits is compared with If-Match as RFC 9110 says: %s',
    async (_what, header, status) => {
      await makeDefault();
      const { id, etag } = (await shop.create({ ...own, use_default: true })).body;
      const headers = { 'if-match': header(etag) };

      const updated = await shop.update(id, { ...own, is_active: false }, headers);
      const other = await shop.create({ ...own, method_code: 'other' });
      const removed = await shop.remove(id, status === 200 ? { 'if-match': updated.body.etag } : headers);

      expect(updated.status).toBe(status);
      expect(other.status).toBe(201);
      expect(removed.status).toBe(status === 200 ? 204 : status);
    },
  );

  it('can be replaced by the version alone, which guards only the stored values', async () => {
    const origin = await makeDefault();
    const { id } = (await shop.create({ ...own, use_default: true })).body;
    await defaults.update(origin, { ...codes, method_label: 'D2' });

    const updated = await shop.update(id, { ...own, is_active: false }, { 'if-match': '"1"' });
    const late = await shop.update(id, { ...own, is_active: true }, { 'if-match': '"1"' });
    const removed = await shop.remove(id, { 'if-match': '"2"' });

    expect([updated.status, late.status, removed.status]).toEqual([200, 412, 204]);
  });

  it('is accepted by the services too, as is the version alone', async () => {
    const origin = await makeDefault();
    const { id, etag } = await methods.create(shop.project, { ...own, use_default: true });
    await defaults.update(origin, { ...codes, method_label: 'D2' });

    const byEtag = methods.update(shop.project, id, own, { etags: [etag] });
    const byNothing = methods.remove(shop.project, id, { etags: [] });
    await expect(byEtag).rejects.toBeInstanceOf(VersionMismatchError);
    await expect(byNothing).rejects.toBeInstanceOf(VersionMismatchError);
    const removed = await methods.remove(shop.project, id, { etags: [etag, '"9999999999"', '"1"'] });

    expect(removed.id).toBe(id);
  });

  it.each<[options: { etags?: string[] }, isAllowed: boolean]>([
    [{}, true],
    [{ etags: undefined }, true],
    [{ etags: ['"1"'] }, true],
    [{ etags: ['"9"', '"1"'] }, true],
    [{ etags: [] }, false],
    [{ etags: ['"9"'] }, false],
    [{ etags: ['W/"1"', '1', '*'] }, false],
  ])(
    'is one of those that a service call names: with %j, version 1 changes: %s',
    async (options, isAllowed) => {
      const { id } = await methods.create(shop.project, own);
      const outcomeOf = (change: Promise<unknown>): Promise<unknown> =>
        change.then(
          () => 'changed',
          (error: { code?: string }) => error.code,
        );

      const unchanged = await outcomeOf(methods.update(shop.project, id, own, options));
      const removed = await outcomeOf(methods.remove(shop.project, id, options));

      const expected = isAllowed ? 'changed' : 'version_mismatch';
      expect([unchanged, removed]).toEqual([expected, expected]);
    },
  );

  it.each(['update', 'remove'] as const)(
    'never matches as a weak one in the services either: %s',
    async (write) => {
      await makeDefault();
      const { id, etag } = await methods.create(shop.project, { ...own, use_default: true });

      for (const weak of [`W/${etag}`, 'W/"1"']) {
        const options = { etags: [weak] };
        const change =
          write === 'update'
            ? methods.update(shop.project, id, { ...own, is_active: false }, options)
            : methods.remove(shop.project, id, options);
        await expect(change).rejects.toBeInstanceOf(VersionMismatchError);
      }
      expect(await methods.find(shop.project, id)).toMatchObject({ version: 1, is_active: true });
    },
  );

  it('protects own values from forms that are sent while the default changes', async () => {
    const origin = await makeDefault();
    const { id } = (await shop.create({ ...own, use_default: true })).body;
    const statuses = new Set<number>();

    for (let round = 0; round < 30; round++) {
      const form = await loaded();
      const change = { ...formOf(form), is_active: round % 2 === 0 };
      const [, answer] = await Promise.all([
        defaults.update(origin, { ...codes, method_label: `D ${round}` }),
        shop.update(id, change, { 'if-match': form.etag }),
      ]);
      statuses.add(answer.status);
      expect((await loaded()).own).toMatchObject({ method_label: 'Own', sort_order: 5 });
    }

    expect([200, 412]).toEqual(expect.arrayContaining([...statuses]));
  });
});
