import { type ShippingMethodDto, ShippingMethods, TooManyMethodsError } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';

const maxMethods = 5;
const bodyOf = (n: number | string) => ({ carrier_code: 'ups', method_code: `${n}`, method_label: 'Label' });

describe('a project with maxMethods', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp({ shipping: { maxMethods } });
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());
  beforeEach(() => {
    shop = new Client(app.origin, freshProject());
  });

  const fill = async (count = maxMethods): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push((await shop.create(bodyOf(n))).body.id);
    return ids;
  };

  it('accepts that many methods, and refuses one more until one is removed', async () => {
    const [first = ''] = await fill();

    const refused = await shop.create(bodyOf('more'));
    const byService = methods.upsert(shop.project, bodyOf('more'));
    await expect(byService).rejects.toThrow(TooManyMethodsError);
    await expect(byService).rejects.toMatchObject({ maxMethods, code: 'too_many_methods' });
    await shop.remove(first);
    const taken = await shop.create(bodyOf('more'));

    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'too_many_methods', max_methods: maxMethods });
    expect(taken.status).toBe(201);
    expect((await shop.list()).body.meta.total).toBe(maxMethods);
  });

  it('still reports duplicates and updates its methods when it is full', async () => {
    const [first = ''] = await fill();

    const same = await shop.create(bodyOf(0));
    const updated = await shop.update(first, { ...bodyOf(0), method_label: 'Changed' });
    const upserted = await methods.upsert(shop.project, { ...bodyOf(0), method_label: 'Again' });

    expect(same.body).toMatchObject({ code: 'duplicate_method', existing_id: first, identical: true });
    expect([updated.status, updated.body.method_label]).toEqual([200, 'Changed']);
    expect(upserted).toMatchObject({ id: first, method_label: 'Again' });
  });

  it.each([0, 1, 3])('with room for %i accepts exactly that many of 30 racing creates', async (room) => {
    await fill(maxMethods - room);

    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => shop.create(bodyOf(`race ${n}`))));

    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(room).fill(201), ...Array(30 - room).fill(409)]);
    expect((await shop.list()).body.meta.total).toBe(maxMethods);
  });

  it('gives the last place to new codes, however many duplicates race for it', async () => {
    await fill(maxMethods - 1);
    const neighbour = new Client(app.origin, freshProject());

    const [fresh, other, ...duplicates] = await Promise.all([
      shop.create(bodyOf('fresh')),
      neighbour.create(bodyOf('other')),
      ...[0, 1, 2, 3].map((n) => shop.create(bodyOf(n))),
    ]);

    expect([fresh?.status, other?.status]).toEqual([201, 201]);
    expect(duplicates.map(({ body }) => body.code)).toEqual(Array(4).fill('duplicate_method'));
  });

  it.each([0, 2, 4])(
    'gives the last place to a new pair that comes together with, and after, %i taken ones',
    async (before) => {
      await fill(maxMethods - 1);
      // By the service they share a statement in this order; a request may arrive at any place.
      const codes = ['0', '1', '2', '3'].toSpliced(before, 0, 'fresh');

      const settled = await Promise.allSettled(
        codes.map((code) => methods.create(shop.project, bodyOf(code))),
      );

      const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
      expect(refused).toEqual(Array(4).fill('duplicate_method'));
      expect(settled[before]).toMatchObject({ status: 'fulfilled', value: { method_code: 'fresh' } });
    },
  );

  onlyWhere('severalConnections', () => {
    it('refuses none of the upserts of one pair that race for the last place', async () => {
      for (let round = 0; round < 10; round++) {
        shop = new Client(app.origin, freshProject());
        await fill(maxMethods - 1);

        const upserts: Promise<ShippingMethodDto>[] = [];
        // Some of them look for the method before it is there, and want to insert it when the project is full.
        for (let n = 0; n < 20; n++) {
          upserts.push(methods.upsert(shop.project, { ...bodyOf('last'), sort_order: n }));
          await new Promise(setImmediate);
        }
        const outcomes = await Promise.allSettled(upserts);

        expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
        expect((await shop.list()).body.meta.total).toBe(maxMethods);
      }
    });
  });

  it('refuses none of the parallel upserts of one pair for the last place, in one transaction', async () => {
    await fill(maxMethods - 1);
    const orders = [1, 2, 3];

    await app.database.dataSource.transaction((manager) =>
      Promise.all(
        orders.map((sort_order) =>
          methods.upsert(shop.project, { ...bodyOf('last'), sort_order }, { manager }),
        ),
      ),
    );

    const last = await methods.findByCodes(shop.project, 'ups', 'last');
    expect([last?.version, last?.sort_order]).toEqual([3, 3]);
    expect((await shop.list()).body.meta.total).toBe(maxMethods);
  });

  it('does not say that it is full to a create whose codes become free meanwhile', async () => {
    const [first = ''] = await fill(1);

    const [removed, created] = await app.database.dataSource.transaction((manager) =>
      Promise.allSettled([
        methods.remove(shop.project, first, { manager }),
        methods.create(shop.project, bodyOf(0), { manager }),
      ]),
    );

    expect(removed?.status).toBe('fulfilled');
    // The create is refused if it looks before the removal.
    expect(created).toMatchObject(
      created?.status === 'fulfilled' ? { value: { version: 1 } } : { reason: { code: 'duplicate_method' } },
    );
  });

  it('counts the methods of the current transaction, and has their room again after a rollback', async () => {
    await fill(maxMethods - 1);

    const { dataSource } = app.database;
    const filling = dataSource.transaction(async (manager) => {
      await methods.create(shop.project, bodyOf('last'), { manager });
      const refused = methods.create(shop.project, bodyOf('one more'), { manager });
      await expect(refused).rejects.toThrow(TooManyMethodsError);
      // The refusal has not failed the transaction.
      expect((await methods.list(shop.project, {}, { manager })).meta.total).toBe(maxMethods);
      throw new Error('changed my mind');
    });
    await expect(filling).rejects.toThrow('changed my mind');

    expect((await shop.create(bodyOf('after'))).status).toBe(201);
  });
});
