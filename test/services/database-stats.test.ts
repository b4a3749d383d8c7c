import { OrderEventsService, type ShippingDatabaseStats } from 'nestjs-shipping';
import { QueryFailedError } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { type Mounted, mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';

const host = mounted();

/** Makes the database report a deadlock for each event of the type `race.lost`. */
const loseRaces = ({ dataSource }: Mounted): Promise<unknown> =>
  engine.refuse(dataSource.manager, {
    table: 'shipping_order_event',
    on: 'INSERT',
    where: { type: 'race.lost' },
    message: 'lost',
    conflict: engine.conflicts.find((code) => /40P01|DEADLOCK/.test(code)),
  });

/** Returns how much each figure grows while the work runs. */
async function growthDuring(work: () => Promise<unknown>): Promise<ShippingDatabaseStats> {
  const before = host.methods.databaseStats();
  await work();
  const after = host.methods.databaseStats();
  return {
    lostRaces: after.lostRaces - before.lostRaces,
    retries: after.retries - before.retries,
    waitingWriters: after.waitingWriters - before.waitingWriters,
    unavailable: after.unavailable - before.unavailable,
    outcomeUnknown: after.outcomeUnknown - before.outcomeUnknown,
  };
}

/** Calls `record()` on a query runner with a method that fails. */
async function recordFailingAt(method: 'connect' | 'query', error: Error): Promise<void> {
  const { dataSource } = host.app.database;
  const create = dataSource.createQueryRunner.bind(dataSource);
  const failing = vi
    .spyOn(dataSource, 'createQueryRunner')
    .mockImplementation((mode) => Object.assign(create(mode), { [method]: () => Promise.reject(error) }));
  const order = { projectId: freshProject(), orderId: '1001' };
  const recording = host.app.nest.get(OrderEventsService).record(order, { type: 'order.placed' });
  await expect(recording).rejects.toMatchObject({ problem: { status: 503 } });
  failing.mockRestore();
}

const none = { lostRaces: 0, retries: 0, waitingWriters: 0, unavailable: 0, outcomeUnknown: 0 };

it('databaseStats() counts nothing for calls that succeed at once', async () => {
  const growth = await growthDuring(async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    await host.methods.remove(project, id);
  });

  expect(growth).toEqual(none);
});

onlyWhere('connections', () => {
  it('databaseStats() counts a read on a query runner of the caller that gets no connection', async () => {
    const runner = host.dataSource.createQueryRunner();
    const refused = new Error('The pool is empty.');
    Object.assign(runner, { connect: () => Promise.reject(refused) });

    const growth = await growthDuring(async () => {
      const listing = host.methods.list(freshProject(), {}, { manager: runner.manager });
      await expect(listing).rejects.toMatchObject({ code: 'database_unavailable', cause: refused });
    });

    expect(growth).toEqual({ ...none, unavailable: 1 });
    await runner.release();
  });
});

it('databaseStats() counts a record() that gets no connection', async () => {
  const growth = await growthDuring(() => recordFailingAt('connect', new Error('The pool is empty.')));

  expect(growth).toEqual({ ...none, unavailable: 1 });
});

onlyWhere('severalConnections', () => {
  it('databaseStats() counts a record() whose outcome is unknown', async () => {
    const broken = new QueryFailedError('COMMIT', [], Object.assign(new Error('x'), { code: 'ECONNRESET' }));

    const growth = await growthDuring(() => recordFailingAt('query', broken));

    expect(growth).toEqual({ ...none, outcomeUnknown: 1 });
  });

  it('databaseStats() counts a lost race that the caller does not see, and a writer that waits', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    let waitingWriters = 0;
    let changes: Promise<unknown>[] = [];

    const growth = await growthDuring(async () => {
      await host.app.database.dataSource.transaction(async (manager) => {
        await host.methods.create(project, { ...ground, method_code: 'own' }, { manager });
        changes = ['a', 'b'].map((method_code) => host.methods.create(project, { ...ground, method_code }));
        await engine.someoneWaitsFor(manager);
        ({ waitingWriters } = host.methods.databaseStats());
      });
      await Promise.all(changes);
    });

    expect(waitingWriters).toBe(1);
    expect(growth).toMatchObject({ lostRaces: 1, waitingWriters: 0, unavailable: 0, outcomeUnknown: 0 });
    expect((await host.methods.list(project)).meta.total).toBe(4);
  });
});

onlyWhere('lostRaces', () => {
  it('databaseStats() counts one failure for all calls of a transaction', async () => {
    await loseRaces(host);
    const order = { projectId: freshProject(), orderId: '1001' };

    const growth = await growthDuring(() =>
      host.dataSource
        .transaction(async (manager) => {
          const types = ['race.lost', 'order.paid', 'order.archived'];
          await Promise.allSettled(types.map((type) => host.events.record(order, { type }, { manager })));
          throw new Error('rollback');
        })
        .catch(() => undefined),
    );

    expect(growth).toEqual({ ...none, lostRaces: 1, unavailable: 1 });
  });

  it('databaseStats() counts one race and no retry of a call on a query runner of the caller', async () => {
    await loseRaces(host);
    const order = { projectId: freshProject(), orderId: '1001' };
    const runner = host.dataSource.createQueryRunner();
    const options = { manager: runner.manager };

    const growth = await growthDuring(() =>
      host.events.record(order, { type: 'race.lost' }, options).catch(() => undefined),
    );

    await runner.release();
    expect(growth).toEqual({ ...none, lostRaces: 1, unavailable: 1 });
  });

  describe('with a hook that loses a race', () => {
    let types: string[] = [];
    const hooked = mounted({
      shipping: {
        beforeCommit: {
          change: async (_change, manager) => {
            const order = { projectId: freshProject(), orderId: '1001' };
            await hooked.events.record(order, { type: types.shift() ?? 'order.placed' }, { manager });
          },
        },
      },
    });

    it('databaseStats() counts the race once, and no failure of a change that succeeds at its second try', async () => {
      await loseRaces(hooked);
      types = ['race.lost'];

      await hooked.methods.create(freshProject(), ground);

      expect(hooked.methods.databaseStats()).toEqual({ ...none, lostRaces: 1, retries: 1 });
    });
  });
});
