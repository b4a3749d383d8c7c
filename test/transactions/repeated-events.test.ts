import { OrderEventsService, type RecordedOrderEvent } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { type TestApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { twoInstances } from '../support/two-instances.js';

describe('an event that is recorded again', () => {
  const instances = twoInstances();

  const placed = () =>
    [
      { projectId: freshProject(), orderId: 'o' },
      { type: 'order.placed', dedupe_key: 'placed' },
    ] as const;
  const record = ({ nest }: TestApp, ...parameters: Parameters<OrderEventsService['record']>) =>
    nest.get(OrderEventsService).record(...parameters);
  const counted = (events: readonly RecordedOrderEvent[]): unknown => ({
    first: events.filter(({ repeated }) => !repeated).length,
    ids: new Set(events.map(({ id }) => id)).size,
  });

  it('is new for one of 24 racing calls, and repeated for the others', async () => {
    for (let round = 0; round < 5; round++) {
      const event = placed();

      const recorded = await Promise.all(
        Array.from({ length: 12 }, () => instances.apps.map((app) => record(app, ...event))).flat(),
      );

      expect(counted(recorded)).toEqual({ first: 1, ids: 1 });
    }
  });

  it('is new again after the transaction of the first call was rolled back', async () => {
    const event = placed();
    const [app] = instances.apps;

    const rolledBack = app.database.dataSource.transaction(async (manager) => {
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

    const [one, other] = instances.apps;

    const twice = [await record(one, ...event), await record(other, ...event)];

    expect(counted(twice)).toEqual({ first: 2, ids: 2 });
  });

  onlyWhere('severalConnections', () => {
    it.each(['commits', 'rolls back'])(
      'waits for the transaction that has recorded it, and knows that it %s',
      async (end) => {
        const event = placed();
        const [app, other] = instances.apps;
        let waiting: Promise<RecordedOrderEvent> | undefined;

        const transaction = app.database.dataSource.transaction(async (manager) => {
          await record(app, ...event, { manager });
          waiting = other.database.dataSource.transaction((theirs) =>
            record(other, ...event, { manager: theirs }),
          );
          await engine.someoneWaitsFor(manager);
          if (end === 'rolls back') throw new Error('undone');
        });

        await transaction.catch(() => undefined);
        expect((await waiting)?.repeated).toBe(end === 'commits');
      },
    );
  });
});
