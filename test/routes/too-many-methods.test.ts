import { type ShippingMethodDto, TooManyMethodsError } from 'nestjs-shipping';
import { beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { Client } from '../support/client.js';
import { onlyWhere } from '../support/database.js';

const maxMethods = 5;
const bodyOf = (n: number | string) => ({ carrier_code: 'ups', method_code: `${n}`, method_label: 'Label' });

describe('a project with maxMethods', () => {
  const host = mounted({ shipping: { maxMethods } });
  let shop: Client;
  beforeEach(() => {
    shop = host.shop();
  });

  const fill = async (count = maxMethods): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push((await shop.create(bodyOf(n))).body.id);
    return ids;
  };

  it('accepts that many methods, and refuses one more until one is removed', async () => {
    const [first = ''] = await fill();

    const refused = await shop.create(bodyOf('more'));
    const byService = host.methods.upsert(shop.project, bodyOf('more'));
    await expect(byService).rejects.toThrow(TooManyMethodsError);
    await expect(byService).rejects.toMatchObject({ maxMethods, code: 'too_many_methods' });
    await shop.remove(first);
    const taken = await shop.create(bodyOf('more'));

    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'too_many_methods', max_methods: maxMethods });
    expect(taken.status).toBe(201);
    expect((await shop.list()).body.meta.total).toBe(maxMethods);
  });

  it.each([0, 1, 3])('with room for %i accepts exactly that many of 30 racing creates', async (room) => {
    await fill(maxMethods - room);

    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => shop.create(bodyOf(`race ${n}`))),
    );

    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(room).fill(201), ...Array(30 - room).fill(409)]);
    expect((await shop.list()).body.meta.total).toBe(maxMethods);
  });

  onlyWhere('severalConnections', () => {
    it('accepts all upserts of one pair of codes that race for the last place', async () => {
      for (let round = 0; round < 10; round++) {
        shop = host.shop();
        await fill(maxMethods - 1);

        const upserts: Promise<ShippingMethodDto>[] = [];
        // Some upserts look for the method before it is there, and would insert it into the full project.
        for (let n = 0; n < 20; n++) {
          upserts.push(host.methods.upsert(shop.project, { ...bodyOf('last'), sort_order: n }));
          await new Promise(setImmediate);
        }
        const outcomes = await Promise.allSettled(upserts);

        expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
        expect((await shop.list()).body.meta.total).toBe(maxMethods);
      }
    });
  });

  it('counts the methods of the current transaction until it is rolled back', async () => {
    await fill(maxMethods - 1);

    const { dataSource } = host.app.database;
    const filling = dataSource.transaction(async (manager) => {
      await host.methods.create(shop.project, bodyOf('last'), { manager });
      const refused = host.methods.create(shop.project, bodyOf('one more'), { manager });
      await expect(refused).rejects.toThrow(TooManyMethodsError);
      // The transaction is still usable after the error.
      expect((await host.methods.list(shop.project, {}, { manager })).meta.total).toBe(maxMethods);
      throw new Error('changed my mind');
    });
    await expect(filling).rejects.toThrow('changed my mind');

    expect((await shop.create(bodyOf('after'))).status).toBe(201);
  });
});
