import {
  type ShippingMethodChange,
  TooManyMethodsError,
  type UpsertShippingMethodRequest,
  ValidationFailedError,
} from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { Client, freshProject, ground } from '../support/client.js';
import { addMethods } from '../support/rows.js';
import { watchStatements } from '../support/statements.js';
import { methodsOf } from '../support/changes.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const paket = { carrier_code: 'dhl', method_code: 'paket', method_label: 'DHL Paket' };

describe('upsertMany', () => {
  const host = mounted({ shipping: { maxMethods: 20 } });

  /** @returns the changes that are reported while `work` runs */
  async function changesDuring(work: () => Promise<unknown>): Promise<ShippingMethodChange[]> {
    const seen: ShippingMethodChange[] = [];
    const subscription = host.methods.changes.subscribe((change) => seen.push(change));
    await work();
    subscription.unsubscribe();
    return seen;
  }

  it('creates, updates and removes methods, and lists them', async () => {
    const project = freshProject();
    const [old, same, other] = [
      await host.methods.create(project, ground),
      await host.methods.create(project, express),
      await host.methods.create(project, { ...ground, method_code: 'other' }),
    ];

    const done = await host.methods.upsertMany(project, [paket, { ...ground, sort_order: 5 }, express], {
      removeOthers: true,
    });

    const [created, updated, unchanged] = done.methods;
    expect(done.methods).toMatchObject([paket, { ...ground, sort_order: 5, id: old.id, version: 2 }, same]);
    expect(done.changes).toEqual([
      { type: 'created', before: null, after: created },
      { type: 'updated', before: old, after: updated },
      { type: 'removed', before: other, after: null },
    ]);
    expect((await host.methods.list(project)).data).toEqual([created, unchanged, updated]);
  });

  it('without requests changes nothing', async () => {
    const project = freshProject();
    const existing = await host.methods.create(project, ground);

    const done = await host.methods.upsertMany(project, []);

    expect(done).toEqual({ methods: [], changes: [] });
    expect((await host.methods.list(project)).data).toEqual([existing]);
  });

  it('sends one INSERT for all new methods, and gives the project one new revision', async () => {
    const project = freshProject();
    await host.methods.create(project, express);
    const requests = Array.from({ length: 19 }, (_, n) => ({ ...ground, method_code: `${n}` }));
    const { sent, stop } = watchStatements(host.dataSource);

    await host.methods.upsertMany(project, requests);
    stop();

    expect(sent.filter((sql) => /INSERT INTO \S*shipping_method\b/.test(sql))).toHaveLength(1);
    expect(sent.filter((sql) => /UPDATE \S*shipping_project/.test(sql))).toHaveLength(1);
  });

  it('that changes nothing keeps the ETag of the list, and reports nothing', async () => {
    const project = freshProject();
    const shop = new Client(host.app.origin, project);
    const first = await host.methods.upsertMany(project, [ground, express]);
    const etag = (await shop.list()).headers.get('etag');

    const seen = await changesDuring(async () => {
      const again = await host.methods.upsertMany(project, [ground, express], { removeOthers: true });
      expect(again).toEqual({ ...first, changes: [] });
    });

    expect(seen).toEqual([]);
    expect((await shop.list('', { 'if-none-match': etag ?? '' })).status).toBe(304);
  });

  it('reports each change after the commit, and returns the same changes', async () => {
    const project = freshProject();
    const old = await host.methods.create(project, ground);
    const other = await host.methods.create(project, express);
    const requests = [paket, { ...ground, sort_order: 1 }];

    let returned: readonly ShippingMethodChange[] = [];
    const seen = await changesDuring(async () => {
      ({ changes: returned } = await host.methods.upsertMany(project, requests, { removeOthers: true }));
    });

    expect(returned).toEqual(seen);
    expect(seen).toHaveLength(3);
    expect(seen).toMatchObject([
      { type: 'created', before: null, after: paket },
      { type: 'updated', before: old, after: { sort_order: 1 } },
      { type: 'removed', before: other, after: null },
    ]);
  });

  it('counts the methods that the project would hold after the removals', async () => {
    const project = freshProject();
    const many = (count: number, prefix: string): UpsertShippingMethodRequest[] =>
      Array.from({ length: count }, (_, n) => ({ ...ground, method_code: `${prefix}${n}` }));
    await host.methods.upsertMany(project, many(20, 'old'));

    const refused = [
      host.methods.upsertMany(project, many(1, 'new')),
      host.methods.upsertMany(project, many(21, 'new'), { removeOthers: true }),
    ];
    for (const call of refused) await expect(call).rejects.toThrow(TooManyMethodsError);
    const { changes } = await host.methods.upsertMany(project, many(20, 'new'), { removeOthers: true });

    expect([methodsOf(changes, 'created').length, methodsOf(changes, 'removed').length]).toEqual([20, 20]);
    expect((await host.methods.list(project)).meta.total).toBe(20);
  });

  it('adds nothing to a project that holds too many, but updates and removes', async () => {
    const project = freshProject();
    await addMethods(host.dataSource.manager, project, 23);
    const { data } = await host.methods.list(project, { per_page: 100 });
    const kept = data.slice(0, 22).map(({ carrier_code, method_code, method_label }) => {
      return { carrier_code, method_code, method_label, sort_order: 1 };
    });

    const swapped = host.methods.upsertMany(project, [...kept, ground], { removeOthers: true });

    await expect(swapped).rejects.toThrow(TooManyMethodsError);
    const { changes } = await host.methods.upsertMany(project, kept, { removeOthers: true });
    expect([methodsOf(changes, 'updated').length, methodsOf(changes, 'removed').length]).toEqual([22, 1]);
  });

  it('changes nothing when one of its requests has a violation', async () => {
    const project = freshProject();

    const call = host.methods.upsertMany(project, [ground, { ...express, sort_order: 0.5 }]);

    await expect(call).rejects.toThrow(ValidationFailedError);
    expect((await host.methods.list(project)).meta.total).toBe(0);
  });

  it('is refused with the violations of the project id and of the requests together', async () => {
    const call = host.methods.upsertMany('a b', [{ ...ground, sort_order: 0.5 }]);

    await expect(call).rejects.toMatchObject({
      violations: [
        { parameter: 'projectId', code: 'format' },
        { pointer: '/0/sort_order', code: 'type', detail: '/0/sort_order must be an integer.' },
      ],
    });
  });
});

describe('upsertMany of more methods than a page of a list', () => {
  const host = mounted({});

  it('returns every method of the requests, and one change for each method that it changes', async () => {
    const project = freshProject();
    const requests = (kind: string, sort_order: number): UpsertShippingMethodRequest[] =>
      Array.from({ length: 101 }, (_, index) => ({ ...ground, method_code: `${kind} ${index}`, sort_order }));
    const before = await host.methods.upsertMany(project, [
      ...requests('same', 0),
      ...requests('old', 0),
      ...requests('gone', 0),
    ]);
    const [same, old, gone] = [0, 101, 202].map((from) => before.methods.slice(from, from + 101));

    const done = await host.methods.upsertMany(
      project,
      [...requests('same', 0), ...requests('old', 1), ...requests('new', 0)],
      { removeOthers: true },
    );

    const [updated, created] = [methodsOf(done.changes, 'updated'), methodsOf(done.changes, 'created')];
    expect(done.methods).toEqual([...(same ?? []), ...updated, ...created]);
    expect(updated.map(({ id }) => id)).toEqual(old?.map(({ id }) => id));
    expect(created).toHaveLength(101);
    expect(new Set(methodsOf(done.changes, 'removed'))).toEqual(new Set(gone));
    expect(done.changes).toHaveLength(303);
  });
});
