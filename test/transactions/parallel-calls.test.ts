import { type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { anyStatement } from '../support/statements.js';

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map(({ status }) => status);

const host = mounted();

describe('parallel calls in one transaction', () => {
  it('are refused one by one, and the other writes and reads succeed', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const b = await host.methods.create(project, { ...ground, method_code: 'b' });
    const c = await host.methods.create(project, { ...ground, method_code: 'c' });

    const outcomes = await host.dataSource.transaction((manager) =>
      Promise.allSettled([
        host.methods.update(project, b.id, ground, { manager }),
        host.methods.update(project, c.id, ground, { manager }),
        host.methods.list(project, {}, { manager }),
        host.methods.upsert(project, { ...ground, method_label: 'X' }, { manager }),
        host.methods.upsert(project, { ...ground, method_label: 'Y' }, { manager }),
      ]),
    );

    expect(statuses(outcomes)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(
      (await host.methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' }))?.version,
    ).toBe(3);
  });
});

describe('calls on a query runner without a transaction', () => {
  it('are refused while another one begins its transaction there', async () => {
    const project = freshProject();
    const runner = host.dataSource.createQueryRunner();
    const create = (method_code: string): Promise<unknown> =>
      host.methods.create(project, { ...ground, method_code }, { manager: runner.manager });

    const outcomes = await Promise.allSettled(['a', 'b'].map(create));
    await create('c');
    await runner.release();

    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { reason: { message: expect.stringContaining('Make one call at a time') } },
    ]);
    const { data } = await host.methods.list(project);
    expect(data.map(({ method_code }) => method_code)).toEqual(['a', 'c']);
  });
});

describe('parallel calls in a transaction that ends', () => {
  const recordTwice = (projectId: string, manager: EntityManager): Promise<unknown>[] =>
    [1, 2].map((n) =>
      host.events.record({ projectId, orderId: 'o' }, { type: 'order.placed', data: { n } }, { manager }),
    );

  it('leave nothing behind after a rollback, whether they had begun or not', async () => {
    const project = freshProject();
    let calls: Promise<unknown>[] = [];

    const placing = host.dataSource.transaction((manager) => {
      calls = [...recordTwice(project, manager), host.methods.create(project, ground, { manager })];
      return Promise.all([...calls, Promise.reject(new Error('The host fails'))]);
    });

    await expect(placing).rejects.toThrow('The host fails');
    const [, , create] = await Promise.allSettled(calls);
    expect(create).toMatchObject({ status: 'fulfilled' });
    expect(await host.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  onlyWhere('connections', () => {
    it('are refused when the ROLLBACK is on its way, and leave nothing behind', async () => {
      const project = freshProject();
      let late: Promise<unknown> | undefined;

      const placing = host.dataSource.transaction(async (manager) => {
        const end = await engine.intercept(manager, (sql, send) => {
          if (/ROLLBACK/.test(sql)) late = Promise.allSettled(recordTwice(project, manager)).finally(end);
          return send();
        });
        throw new Error('The host fails');
      });

      await expect(placing).rejects.toThrow('The host fails');
      const refused = { status: 'rejected', reason: { name: 'EndedTransactionError' } };
      expect(await late).toMatchObject([refused, refused]);
      expect(await host.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
    });
  });

  it('are not reported after a rollback, at whatever moment it comes', async () => {
    const reported: unknown[] = [];
    const subscription = host.methods.changes.subscribe((change) => reported.push(change));
    const runner = host.dataSource.createQueryRunner();
    const project = freshProject();
    for (let statements = 0; statements < 12; statements++) {
      await runner.startTransaction();
      const calls = ['a', 'b', 'c'].map((method_code) =>
        host.methods.create(project, { ...ground, method_code }, { manager: runner.manager }),
      );
      for (let n = 0; n < statements; n++) await anyStatement(runner);
      await Promise.all([runner.rollbackTransaction(), Promise.allSettled(calls)]);
    }
    await runner.release();
    subscription.unsubscribe();

    expect(reported).toEqual([]);
    expect((await host.methods.list(project)).data).toEqual([]);
  });
});

describe('parallel calls that the host does not wait for', () => {
  it('are committed with the transaction, or with the savepoint, in which they were made', async () => {
    const project = freshProject();

    await host.dataSource.transaction(async (manager) => {
      void host.methods.create(project, ground, { manager });
      await manager.transaction(async (inner) => {
        void host.methods.create(project, { ...ground, method_code: '01' }, { manager: inner });
        await anyStatement(inner);
      });
      void host.methods.create(project, { ...ground, method_code: '02' }, { manager });
    });

    expect((await host.methods.list(project)).meta.total).toBe(3);
  });

  onlyWhere('connections', () => {
    it('are committed when they are made while the COMMIT waits for another call', async () => {
      const project = freshProject();
      let write = (): void => undefined;
      const writing = new Promise<void>((resolve) => {
        write = resolve;
      });
      let calls: Promise<unknown> = Promise.resolve();

      await host.dataSource.transaction(async (manager) => {
        const create = (method_code: string): Promise<unknown> =>
          host.methods.create(project, { ...ground, method_code }, { manager });
        const end = await engine.intercept(manager, (sql, send) => {
          if (/INSERT INTO \S*shipping_method\b/.test(sql)) write();
          return send();
        });
        calls = Promise.allSettled([create('01'), writing.then(() => create('02'))]).finally(end);
      });
      await calls;

      expect((await host.methods.list(project)).meta.total).toBe(2);
    });
  });
});
