import { setTimeout as delay } from 'node:timers/promises';
import { type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { anyStatement, statementThatFails, statementThatSucceeds } from '../support/statements.js';

const host = mounted();

type Call = (project: string, manager: EntityManager) => Promise<unknown>;

/** A nested transaction of the host, whose failure the host catches. */
const nested = (manager: EntityManager, sql: string): Promise<unknown> =>
  manager.transaction((inner) => inner.query(sql)).catch(() => undefined);

describe('a nested transaction of the host', () => {
  it.each<[string, Call]>([
    [
      'create',
      (project, manager) => host.methods.create(project, { ...ground, method_code: '01' }, { manager }),
    ],
    [
      'event',
      (projectId, manager) =>
        host.events.record(
          { projectId, orderId: 'o' },
          { type: 'order.placed', dedupe_key: 'k' },
          { manager },
        ),
    ],
  ])('beside a call of ours leaves the pool usable for all other requests: %s', async (_name, call) => {
    const other = host.shop();
    await other.create(ground);

    const failed: string[] = [];
    for (const sql of [statementThatSucceeds, statementThatFails]) {
      const project = freshProject();
      await host.methods.create(project, ground);
      await host.dataSource
        .transaction((manager) => Promise.all([call(project, manager), nested(manager, sql)]))
        // A call that runs inside the failing transaction fails with it.
        .catch(() => failed.push(sql));
    }
    const responses = await Promise.all(Array.from({ length: 20 }, () => other.list()));

    expect(failed).not.toContain(statementThatSucceeds);
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  onlyWhere('connections', () => {
    it('undoes a call that was made while it began, if it is rolled back', async () => {
      const project = freshProject();
      const reported: unknown[] = [];
      const subscription = host.methods.changes.subscribe((change) => reported.push(change));
      const calls: Promise<unknown>[] = [];

      await host.dataSource.transaction(async (manager) => {
        const end = await engine.intercept(manager, (sql, send) => {
          if (/^\W*SAVEPOINT/.test(sql)) calls.push(host.methods.create(project, ground, { manager }));
          return send();
        });
        const undone = manager.transaction(async () => {
          await Promise.all(calls);
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
        await end();
      });
      subscription.unsubscribe();

      expect(calls).toHaveLength(1);
      expect(reported).toEqual([]);
      expect((await host.methods.list(project)).data).toEqual([]);
    });
  });

  onlyWhere('failedTransactions', () => {
    it('that cannot begin lets later calls fail at once, and not wait', async () => {
      const runner = host.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query(statementThatFails).catch(() => undefined);
      await runner.startTransaction().catch(() => undefined);

      const call = host.methods.list(freshProject(), {}, { manager: runner.manager });

      await expect(call).rejects.toThrow('current transaction is aborted');
      // The oldest TypeORM would roll back to the savepoint that it could not begin.
      await runner.query('ROLLBACK');
      await runner.release();
    }, 10_000);

    it('leaves a QueryRunner for later calls, if the host itself has ended the transaction', async () => {
      const runner = host.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query(statementThatFails).catch(() => undefined);
      await nested(runner.manager, statementThatSucceeds);
      // The newest TypeORM has rolled back without the knowledge of the host.
      const isKnown = runner.isTransactionActive;
      if (isKnown) await runner.rollbackTransaction();

      const call = host.methods.create(freshProject(), ground, { manager: runner.manager });

      expect(await call.then(() => true).catch(() => false)).toBe(isKnown);
      await runner.release();
    });

    it('that cannot begin leaves a QueryRunner that refuses every further statement, but not a ROLLBACK', async () => {
      const runner = host.dataSource.createQueryRunner();
      const send = (sql: string): Promise<string> => runner.query(sql).then(() => 'sent', String);
      await runner.startTransaction();
      await send(statementThatFails);
      await nested(runner.manager, statementThatSucceeds);

      const late = await send(statementThatSucceeds);
      // The newest TypeORM has rolled back without the knowledge of the host, who may do it again.
      const isKnown = runner.isTransactionActive;
      const end = isKnown ? await runner.rollbackTransaction().then(() => 'sent') : await send('ROLLBACK');
      const next = await runner.startTransaction().then(() => send(statementThatSucceeds), String);
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();

      expect(end).toBe('sent');
      expect(late).toContain(isKnown ? 'current transaction is aborted' : 'its transaction had ended');
      expect(next).toContain(isKnown ? 'sent' : 'A nested transaction could not begin');
    });

    it('that cannot begin inside of another one does not let TypeORM commit the outermost one early', async () => {
      const project = freshProject();
      const again = { ...ground, method_code: 'again' };

      const placing = host.dataSource.transaction(async (manager) => {
        await host.methods.create(project, ground, { manager });
        const around = manager.transaction(async (inner) => {
          await inner.query(statementThatFails).catch(() => undefined);
          await nested(inner, statementThatSucceeds);
        });
        await around.catch(() => undefined);
        await host.methods.create(project, again, { manager }).catch(() => undefined);
        throw new Error('The host fails.');
      });

      await expect(placing).rejects.toThrow('The host fails.');
      expect((await host.methods.list(project)).meta.total).toBe(0);
    });

    it('does not hide that PostgreSQL responded to the outer COMMIT with ROLLBACK', async () => {
      const project = freshProject();

      const runner = host.dataSource.createQueryRunner();
      const committed = runner.manager.transaction(async (manager) => {
        await manager.transaction((inner) => host.methods.create(project, ground, { manager: inner }));
        await manager.query(statementThatFails).catch(() => undefined);
      });

      await expect(committed).rejects.toThrow(
        'The COMMIT rolled the transaction back, because a statement in it had failed.',
      );
      // Without a call of ours, the response to the COMMIT is the concern of the host.
      const own = runner.manager.transaction((manager) =>
        manager.query(statementThatFails).catch(() => 'caught'),
      );
      expect(await own).toBe('caught');
      await runner.release();
      expect((await host.methods.list(project)).meta.total).toBe(0);
    });
  });

  onlyWhere('connections', () => {
    it.each(['is released', 'is rolled back'])(
      'that %s waits for a call that was made in it',
      async (end) => {
        const project = freshProject();
        const { id } = await host.methods.create(project, ground);
        const changed = { ...ground, sort_order: 1 };

        const { call } = await host.dataSource.transaction(async (manager) => {
          let updating: Promise<unknown> | undefined;
          const ending = manager.transaction((inner) => {
            updating = host.methods.update(project, id, changed, { manager: inner });
            return end === 'is released' ? Promise.resolve() : Promise.reject(new Error('rollback'));
          });
          await ending.catch(() => undefined);
          return { call: updating };
        });

        expect(await call).toMatchObject(changed);
        const { sort_order } = await host.methods.findOrFail(project, id);
        expect(sort_order).toBe(end === 'is released' ? 1 : 0);
      },
    );
  });

  onlyWhere('severalConnections', () => {
    it('that waits 5 seconds for a slow statement lets a call beside it fail, which its rollback would undo', async () => {
      const project = freshProject();
      await engine.createTenants(host.dataSource.manager, [project]);
      const holder = host.dataSource.createQueryRunner();
      await holder.startTransaction();
      await engine.lockTenant(holder.manager, project);
      const seen: unknown[] = [];
      const subscription = host.methods.changes.subscribe((change) => seen.push(change));
      let outcomes: PromiseSettledResult<unknown>[] = [];

      await host.dataSource.transaction(async (manager) => {
        vi.useFakeTimers({ toFake: ['setTimeout'] });
        const running = Promise.allSettled([
          engine.lockTenant(manager, project),
          manager.transaction(() => Promise.reject(new Error('sold out'))),
          host.methods.create(project, ground, { manager }),
        ]);
        for (let second = 0; second < 6; second++) {
          await delay(20);
          await vi.advanceTimersByTimeAsync(1_000);
        }
        vi.useRealTimers();
        await holder.rollbackTransaction();
        outcomes = await running;
      });

      subscription.unsubscribe();
      await holder.release();
      expect(outcomes).toMatchObject([
        { status: 'fulfilled' },
        { reason: { message: 'sold out' } },
        { reason: { name: 'EndedTransactionError' } },
      ]);
      expect(seen).toEqual([]);
    });
  });

  it('keeps a call that was made before it began, if it is rolled back', async () => {
    for (let turns = 0; turns < 8; turns++) {
      const project = freshProject();
      await host.dataSource.transaction(async (manager) => {
        const call = host.methods.create(project, ground, { manager });
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        await nested(manager, statementThatFails);
        await call;
      });

      expect((await host.methods.list(project)).meta.total).toBe(1);
    }
  });

  it('emits none of its changes if it is rolled back', async () => {
    const reported: (string | undefined)[] = [];
    const subscription = host.methods.changes.subscribe(({ after }) => reported.push(after?.method_code));
    const project = freshProject();
    for (let statements = 0; statements < 12; statements++) {
      const work = host.dataSource.transaction(async (manager) => {
        const failing = nested(manager, statementThatFails);
        for (let n = 0; n < statements; n++) await new Promise(process.nextTick);
        if (statements === 11) await failing;
        await host.methods
          .create(project, { ...ground, method_code: `m${statements}` }, { manager })
          .catch(() => 0);
        await failing;
      });
      // A create that runs inside the failing transaction fails, and nothing of it can be committed.
      await work.catch(() => undefined);
    }
    subscription.unsubscribe();

    const { data } = await host.methods.list(project, { per_page: 100 });
    expect(data.length).toBeGreaterThan(0);
    expect(reported.toSorted()).toEqual(data.map(({ method_code }) => method_code).toSorted());
  });

  it('contains a call that is made while it begins completely, or not at all', async () => {
    const reported: (string | undefined)[] = [];
    const subscription = host.methods.changes.subscribe(({ after }) => reported.push(after?.method_code));
    const project = freshProject();
    for (let steps = 0; steps < 25; steps++) {
      await host.dataSource.transaction(async (manager) => {
        const undone = manager.transaction(async (inner) => {
          await anyStatement(inner);
          throw new Error('undone');
        });
        for (let step = 0; step < steps; step++) await undefined;
        if (steps === 24) await undone.catch(() => undefined);
        const request = { ...ground, method_code: `m${steps}` };
        await Promise.allSettled([undone, host.methods.create(project, request, { manager })]);
      });
    }
    subscription.unsubscribe();

    const { data } = await host.methods.list(project, { per_page: 100 });
    expect(data.length).toBeGreaterThan(0);
    expect(reported.toSorted()).toEqual(data.map(({ method_code }) => method_code).toSorted());
  });

  it('undoes an event that was recorded while it began', async () => {
    const projectId = freshProject();
    const undo = async (inner: EntityManager): Promise<never> => {
      for (let n = 0; n < 20; n++) await anyStatement(inner);
      throw new Error('undone');
    };

    await host.dataSource.transaction((manager) =>
      Promise.allSettled([
        manager.transaction(undo),
        host.events.record({ projectId, orderId: 'o' }, { type: 'order.placed' }, { manager }),
      ]),
    );

    expect(await host.events.findAll({ projectId, orderId: 'o' })).toEqual([]);
  });

  it('undoes a call that was made while it began, though a statement of the host failed then', async () => {
    const project = freshProject();
    const reported: unknown[] = [];
    const subscription = host.methods.changes.subscribe((change) => reported.push(change));
    const undo = async (inner: EntityManager): Promise<never> => {
      // The statements of the call come before the rollback.
      for (let n = 0; n < 20; n++) await anyStatement(inner);
      throw new Error('undone');
    };

    const work = host.dataSource.transaction((manager) =>
      Promise.allSettled([
        manager.query(statementThatFails),
        manager.transaction(undo),
        host.methods.create(project, ground, { manager }),
      ]),
    );
    // On PostgreSQL, the failed statement has ended the transaction.
    await work.catch(() => undefined);
    subscription.unsubscribe();

    expect(reported).toEqual([]);
    expect((await host.methods.list(project)).data).toEqual([]);
  });
});

describe("a host's nested transaction beside a call with a hook", () => {
  let nestedWork: (inner: EntityManager) => Promise<unknown> = anyStatement;
  const hook = async ({ after }: ShippingMethodChange, manager: EntityManager): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    await manager.transaction((inner) => nestedWork(inner));
    const event = [{ projectId: after?.project_id ?? '', orderId: 'o' }, { type: 'method.changed' }] as const;
    await hooked.events.record(...event, { manager });
  };
  const hooked = mounted({ shipping: { beforeCommit: { change: hook } } });

  it('does not undo what the hook stores', async () => {
    for (let moment = 0; moment < 12; moment++) {
      const project = freshProject();
      await hooked.dataSource.transaction(async (manager) => {
        const creating = hooked.methods.create(project, ground, { manager });
        for (let turn = 0; turn < moment; turn++) await new Promise(setImmediate);
        await nested(manager, statementThatFails);
        await creating;
      });

      expect((await hooked.methods.list(project)).meta.total).toBe(1);
      expect(await hooked.events.findAll({ projectId: project, orderId: 'o' })).toHaveLength(1);
    }
  });

  it('leaves all calls whole, although the hook begins one for each of them', async () => {
    const project = freshProject();
    const create = (method_code: string, manager: EntityManager): Promise<unknown> =>
      hooked.methods.create(project, { ...ground, method_code }, { manager });

    await hooked.dataSource.transaction((manager) =>
      Promise.all(['01', '02', '03'].map((code) => create(code, manager))),
    );

    expect((await hooked.methods.list(project)).meta.total).toBe(3);
    expect(await hooked.events.findAll({ projectId: project, orderId: 'o' })).toHaveLength(3);
  });

  it.each(['rolled back', 'committed'])(
    'that a hook begins ends before the transaction around it is %s',
    async (end) => {
      const project = freshProject();
      const runner = hooked.dataSource.createQueryRunner();
      let isEnded = false;
      let refused: Promise<unknown> = Promise.resolve();
      let open = (): void => undefined;
      const isOpen = new Promise<void>((resolve) => (open = resolve));
      nestedWork = async (inner) => {
        open();
        await refused.catch(() => undefined);
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
        await anyStatement(inner);
        isEnded = true;
      };

      const outer = runner.manager.transaction((manager) => {
        refused = isOpen.then(() => hooked.methods.remove(project, 'nothing', { manager }));
        const calls = [hooked.methods.create(project, ground, { manager }), refused];
        return end === 'rolled back' ? Promise.all(calls) : refused.catch(() => undefined);
      });
      await outer.catch(() => undefined);
      const atTheEnd = { isEnded, isTransactionActive: runner.isTransactionActive };
      nestedWork = anyStatement;
      await runner.release();

      expect(atTheEnd).toEqual({ isEnded: true, isTransactionActive: false });
      const outcome = await outer.catch(({ code }: { code?: string }) => code);
      expect(outcome).toBe(end === 'rolled back' ? 'method_not_found' : undefined);
      expect((await hooked.methods.list(project)).meta.total).toBe(end === 'rolled back' ? 0 : 1);
    },
  );
});
