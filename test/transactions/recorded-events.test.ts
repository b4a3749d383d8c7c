import { Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { emitted } from '../support/emitted.js';

describe.each([
  ['without a hook', {}],
  [
    'with a hook',
    { shipping: { beforeCommit: { event: (event: object) => void Object.assign(event, { type: 'x.y' }) } } },
  ],
])('the stream of recorded events, %s', (_how, options) => {
  const host = mounted(options);
  const seen = emitted(() => host.events.recorded);

  it('has an event that was recorded without a transaction, and no repeated one', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };

    const { repeated: _repeated, ...first } = await host.events.record(order, {
      type: 'order.placed',
      dedupe_key: 'k',
    });
    await host.events.record(order, { type: 'order.placed', dedupe_key: 'k' });

    expect(seen).toEqual([first]);
    expect(seen[0]).not.toBe(first);
  });

  it.each([
    ['none', ['level.outer', 'level.middle', 'level.inner']],
    ['inner', ['level.outer', 'level.middle']],
    ['middle', ['level.outer']],
    ['outer', []],
  ])('after three nested transactions and a rollback of %s has the events of %j', async (failing, kept) => {
    const order = { projectId: freshProject(), orderId: 'o' };
    const seenInside: number[] = [];
    type Work = (manager: EntityManager) => Promise<void>;
    const level =
      (name: string, next?: Work): Work =>
      async (manager) => {
        await host.events.record(order, { type: `level.${name}` }, { manager });
        seenInside.push(seen.length);
        if (next) await manager.transaction(next).catch(() => undefined);
        if (name === failing) throw new Error('rollback');
      };

    const work = level('outer', level('middle', level('inner')));
    await host.dataSource.transaction(work).catch(() => undefined);

    expect(seen.map(({ type }) => type)).toEqual(kept);
    expect((await host.events.findAll(order)).map(({ type }) => type)).toEqual(kept);
    expect(seenInside).toEqual([0, 0, 0]);
  });

  it('has an event as it was stored, even if the caller changes what record() has returned', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };

    await host.dataSource.transaction(async (manager) => {
      const { data } = await host.events.record(order, { type: 'a.b', data: { n: 1 } }, { manager });
      Object.assign(data, { n: 2 });
    });

    expect(seen).toMatchObject([{ data: { n: 1 } }]);
  });

  it('reaches the other subscribers if one throws, and logs its error', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const failing = host.events.recorded.subscribe(() => {
      throw new Error('no mail');
    });

    await host.events.record({ projectId: freshProject(), orderId: 'o' }, { type: 'order.placed' });

    failing.unsubscribe();
    const errors = logged.mock.calls.map(([message, stack]) => `${message} ${stack}`);
    logged.mockRestore();
    expect(seen).toHaveLength(1);
    expect(errors).toEqual([expect.stringMatching(/A subscriber has failed.*no mail/)]);
  });
});
