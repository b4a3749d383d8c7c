import { type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';

describe('parallel writes', () => {
  const host = mounted();

  it('create each method once, and report it once', async () => {
    const shops = Array.from({ length: 5 }, () => host.shop());
    const changes: ShippingMethodChange[] = [];
    const listening = host.methods.changes.subscribe((change) => changes.push(change));

    const responses = await Promise.all(
      Array.from({ length: 250 }, async (_, n) => {
        // Each pair of codes is sent twice, and some methods have use_default.
        const method = { ...ground, method_code: `m${n % 125}`, sort_order: n, use_default: n % 25 === 0 };
        return { n, response: await shops[n % 5]?.create(method) };
      }),
    );
    listening.unsubscribe();

    const created = responses.filter(({ response }) => response?.status === 201);
    const refused = responses.filter(({ response }) => response?.status === 409);
    expect([created.length, refused.length]).toEqual([125, 125]);
    for (const { n, response } of created)
      expect(response?.body).toMatchObject({ sort_order: n, version: 1 });
    expect(new Set(refused.map(({ response }) => response?.body['existing_id']))).toEqual(
      new Set(created.map(({ response }) => response?.body.id)),
    );
    expect(changes.map(({ after }) => after?.id).toSorted()).toEqual(
      created.map(({ response }) => response?.body.id).toSorted(),
    );
    for (const shop of shops) expect((await shop.list()).body.meta.total).toBe(25);
  });

  it.each(['a new project', 'a project that has methods', 'a transaction'])(
    'by upsert create one method with the values of all: in %s',
    async (place) => {
      const project = freshProject();
      if (place === 'a project that has methods') await host.methods.create(project, ground);
      const codes = { ...ground, method_code: 'new' };
      const parts = [{ sort_order: 7 }, { is_active: false }, { meta: { a: 1 } }, { carrier_label: 'UPS' }];
      const changes: ShippingMethodChange[] = [];
      const listening = host.methods.changes.subscribe((change) => changes.push(change));
      const upserted = (manager?: EntityManager) =>
        Promise.all(parts.map((part) => host.methods.upsert(project, { ...codes, ...part }, { manager })));

      const responses = await (place === 'a transaction'
        ? host.dataSource.transaction(upserted)
        : upserted());
      listening.unsubscribe();

      const stored = await host.methods.findByCodes(project, { carrier_code: 'ups', method_code: 'new' });
      expect(stored).toMatchObject(Object.assign({ version: 4 }, ...parts));
      for (const [index, response] of responses.entries()) expect(response).toMatchObject(parts[index] ?? {});
      expect(changes.map(({ type }) => type)).toEqual(['created', 'updated', 'updated', 'updated']);
      expect(changes.at(-1)?.after).toEqual(stored);
    },
  );
});
