import { OrderEventsService, type RecordedOrderEvent } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';

describe('an event that is recorded again', () => {
  let database: TestDatabase;
  let apps: TestApp[];
  beforeAll(async () => {
    database = await testDatabase();
    apps = await Promise.all([0, 1].map(async () => testApp({ database: await database.another() })));
  });
  afterAll(async () => {
    for (const app of apps ?? []) await app.close();
    await database?.close();
  });

  const placed = () =>
    [
      { projectId: freshProject(), orderId: 'o' },
      { type: 'order.placed', dedupe_key: 'placed' },
    ] as const;
  const record = (app: TestApp | undefined, ...parameters: Parameters<OrderEventsService['record']>) => {
    if (!app) throw new Error('There are two instances.');
    return app.nest.get(OrderEventsService).record(...parameters);
  };
  const one = (events: readonly RecordedOrderEvent[]): unknown => ({
    first: events.filter(({ repeated }) => !repeated).length,
    ids: new Set(events.map(({ id }) => id)).size,
  });

  it('is new for one of 24 racing calls, and repeated for the others', async () => {
    for (let round = 0; round < 5; round++) {
      const event = placed();

      const recorded = await Promise.all(Array.from({ length: 24 }, (_, n) => record(apps[n % 2], ...event)));

      expect(one(recorded)).toEqual({ first: 1, ids: 1 });
    }
  });

  it('is new again after the transaction of the first call was rolled back', async () => {
    const event = placed();
    const [app] = apps;

    const rolledBack = app?.database.dataSource.transaction(async (manager) => {
      const within = [await record(app, ...event, { manager }), await record(app, ...event, { manager })];
      expect(within.map(({ repeated }) => repeated)).toEqual([false, true]);
      throw new Error('undone');
    });

    await expect(rolledBack).rejects.toThrow('undone');
    expect((await record(app, ...event)).repeated).toBe(false);
    expect((await record(app, ...event)).repeated).toBe(true);
  });

  it('without a key is never repeated', async () => {
    const event = [
      { projectId: freshProject(), orderId: 'o' },
      { type: 'order.placed', dedupe_key: null },
    ] as const;

    const twice = [await record(apps[0], ...event), await record(apps[1], ...event)];

    expect(one(twice)).toEqual({ first: 2, ids: 2 });
  });

  onlyWhere('severalConnections', () => {
    it.each(['commits', 'rolls back'])(
      'waits for the transaction that has recorded it, and knows that it %s',
      async (end) => {
        const event = placed();
        const [app, other] = apps;
        let waiting: Promise<RecordedOrderEvent> | undefined;

        const transaction = app?.database.dataSource.transaction(async (manager) => {
          await record(app, ...event, { manager });
          waiting = other?.database.dataSource.transaction((theirs) =>
            record(other, ...event, { manager: theirs }),
          );
          await engine.someoneWaitsFor(manager);
          if (end === 'rolls back') throw new Error('undone');
        });

        await transaction?.catch(() => undefined);
        expect((await waiting)?.repeated).toBe(end === 'commits');
      },
    );
  });
});
