import { OrderEvent } from 'nestjs-shipping';
import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { engine } from '../support/database.js';

const host = mounted();

describe('a subscriber of the host that fails after the INSERT of an event', () => {
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  const deadlock = engine.conflicts[0] ?? 'SQLITE_BUSY_SNAPSHOT';

  it.each(['ECONNREFUSED', deadlock])(
    'passes its error on, and the event is not stored twice: %s',
    async (code) => {
      const event = [{ projectId: freshProject(), orderId: 'o' }, { type: 'a.b' }] as const;
      const failure = coded(code);
      let calls = 0;
      const { subscribers } = host.dataSource;
      subscribers.push({
        afterQuery: ({ query }) =>
          /^INSERT INTO \S*shipping_order_event/.test(query) && ++calls === 1
            ? Promise.reject(failure)
            : undefined,
      });

      const recording = host.events.record(...event);

      await expect(recording).rejects.toBe(failure);
      subscribers.pop();
      expect((await host.events.findAll(event[0])).length).toBeLessThanOrEqual(1);
      expect(calls).toBe(1);
    },
  );

  it('with a deadlock in a statement of its own does not store the event twice', async () => {
    const event = [{ projectId: freshProject(), orderId: 'o' }, { type: 'a.b' }] as const;
    const failure = new QueryFailedError('INSERT INTO audit', [], coded(deadlock));
    const { subscribers } = host.dataSource;
    let calls = 0;
    subscribers.push({
      listenTo: () => OrderEvent,
      afterInsert: () => (++calls === 1 ? Promise.reject(failure) : undefined),
    });

    const recorded = await host.events.record(...event);

    subscribers.pop();
    expect(await host.events.findAll(event[0])).toMatchObject([{ id: recorded.id }]);
  });
});
