import {
  type ShippingCallOptions,
  type FindMethodOptions,
  type ShippingMethodDto,
  type UpsertShippingMethodRequest,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { inTransaction } from '../support/transactions.js';

const inactive = { ...ground, is_active: false };

const ambient: { manager?: EntityManager | undefined } = {};
const host = mounted({ shipping: { entityManager: () => ambient.manager } });

type Found = ShippingMethodDto | null;
type Find = (method: ShippingMethodDto, options: FindMethodOptions) => Promise<Found>;

const byId: Find = ({ project_id, id }, options) => host.methods.find(project_id, id, options);
const byCodes: Find = ({ project_id }, options) => host.methods.findByCodes(project_id, ground, options);

describe.each([
  ['find', byId],
  ['findByCodes', byCodes],
])('%s with a lock', (_name, find) => {
  it('returns what it returns without a lock', async () => {
    const method = await host.methods.create(freshProject(), { ...ground, meta: { days: 3 } });

    const found = await inTransaction(host.dataSource, (manager) => find(method, { manager, lock: true }));

    expect(found).toEqual(method);
  });

  it('returns the inherited values of a method with a default', async () => {
    const defaultMethod = await host.methods.upsert('default', { ...ground, meta: { days: 3 } });
    const method = await host.methods.create(freshProject(), { ...ground, use_default: true });

    const found = await inTransaction(host.dataSource, (manager) => find(method, { manager, lock: true }));

    expect(found).toEqual(method);
    expect(found).toMatchObject({ meta: { days: 3 }, own: { meta: {} } });
    await host.methods.remove('default', defaultMethod.id);
  });

  it('also works in an ambient transaction', async () => {
    const method = await host.methods.create(freshProject(), ground);

    const found = await inTransaction(host.dataSource, async (manager) => {
      ambient.manager = manager;
      return find(method, { lock: true }).finally(() => (ambient.manager = undefined));
    });

    expect(found).toEqual(method);
  });

  it('is refused outside of a transaction', async () => {
    const method = await host.methods.create(freshProject(), ground);
    const runner = host.dataSource.createQueryRunner();

    for (const options of [{}, { manager: host.dataSource.manager }, { manager: runner.manager }])
      await expect(find(method, { ...options, lock: true })).rejects.toThrow(
        new TypeError(
          'The option "lock" needs a transaction: pass its manager. Outside of a transaction, a lock ends at once.',
        ),
      );
    await runner.release();
  });
});

onlyWhere('severalConnections', () => {
  describe('a method that a transaction has locked', () => {
    const change = ({ project_id, id }: ShippingMethodDto, request: UpsertShippingMethodRequest) =>
      host.methods.update(project_id, id, request);

    /** Runs `work` while a transaction has the lock. @returns what happened, in its order */
    const whileLocked = async (
      method: ShippingMethodDto,
      work: (log: (what: string) => void, manager: EntityManager) => Promise<unknown>,
    ): Promise<string[]> => {
      const logged: string[] = [];
      const log = (what: string): void => void logged.push(what);
      await host.dataSource.transaction(async (manager) => {
        await byCodes(method, { manager, lock: true });
        await work(log, manager);
        log('transaction');
      });
      return logged;
    };

    it.each<[string, (method: ShippingMethodDto) => Promise<unknown>]>([
      ['changed', (method) => change(method, inactive)],
      ['removed', ({ project_id, id }) => host.methods.remove(project_id, id)],
    ])('is not %s before the transaction ends', async (_name, write) => {
      const method = await host.methods.create(freshProject(), ground);
      let writing: Promise<unknown> | undefined;

      const logged = await whileLocked(method, async (log, manager) => {
        writing = write(method).then(() => log('write'));
        await engine.someoneWaitsFor(manager);
      });
      await writing;

      expect(logged).toEqual(['transaction', 'write']);
    });

    it('keeps the values of its default until the transaction ends', async () => {
      const defaultMethod = await host.methods.upsert('default', ground);
      const method = await host.methods.create(freshProject(), { ...ground, use_default: true });
      let writing: Promise<unknown> | undefined;

      const logged = await whileLocked(method, async (log, manager) => {
        writing = change(defaultMethod, { ...ground, method_label: 'New' }).then(() => log('write'));
        await engine.someoneWaitsFor(manager);
      });
      await writing;

      expect(logged).toEqual(['transaction', 'write']);
      await host.methods.remove('default', defaultMethod.id);
    });

    it('can be locked by other transactions at the same time', async () => {
      const method = await host.methods.create(freshProject(), ground);

      const logged = await whileLocked(method, async (log) => {
        await whileLocked(method, async () => log('other transaction'));
      });

      expect(logged).toEqual(['other transaction', 'transaction']);
    });

    it('does not delay changes of other methods', async () => {
      const method = await host.methods.create(freshProject(), ground);
      const other = { ...ground, method_code: 'other' };

      const logged = await whileLocked(method, async (log) => {
        await host.methods.create(method.project_id, other);
        await host.methods.upsert(method.project_id, { ...other, is_active: false });
        log('other changes');
      });

      expect(logged).toEqual(['other changes', 'transaction']);
    });
  });

  describe('checkouts that lock a method', () => {
    it('lose no race against changes of the same project', async () => {
      const shop = freshProject();
      await host.methods.upsert('default', ground);
      const method = await host.methods.create(shop, { ...ground, use_default: true });
      const others = Array.from({ length: 5 }, (_, n) => ({ ...ground, method_code: `m${n}` }));
      const checkout = (n: number): Promise<unknown> =>
        host.dataSource.transaction(async (manager) => {
          const event = [
            { projectId: shop, orderId: `o${n}` },
            { type: 'order.placed', dedupe_key: 'placed' },
          ] as const;
          await host.events.record(...event, { manager });
          await byCodes(method, { manager, lock: true });
        });
      const changes: ((n: number, options: ShippingCallOptions) => Promise<unknown>)[] = [
        (n, options) =>
          host.methods.update(shop, method.id, { ...ground, use_default: true, sort_order: n }, options),
        (n, options) =>
          host.methods.upsertMany(
            shop,
            [...others, { ...ground, use_default: true }].map((each) => ({
              ...each,
              is_active: n % 2 === 0,
            })),
            options,
          ),
        (n, options) => host.methods.upsert('default', { ...ground, sort_order: n }, options),
        async (_n, options) => {
          const request = { ...ground, use_default: true };
          await host.methods.update(shop, method.id, { ...request, method_code: 'new' }, options);
          await host.methods.update(shop, method.id, request, options);
        },
      ];
      const changeIn = (n: number): Promise<unknown> =>
        host.dataSource.transaction('READ COMMITTED', (manager) =>
          Promise.resolve(changes[n % 4]?.(n, { manager })),
        );

      const outcomes = await Promise.allSettled(
        Array.from({ length: 90 }, (_, n) => (n % 3 === 0 ? changeIn(n / 3) : checkout(n))),
      );

      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
      await host.methods.removeAll('default');
    });
  });
});
