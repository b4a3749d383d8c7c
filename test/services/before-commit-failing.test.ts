import { ForbiddenException } from '@nestjs/common';
import { type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { statementThatFails } from '../support/statements.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

type OnChange = (change: ShippingMethodChange, manager: EntityManager) => Promise<void>;

const nothing: OnChange = () => Promise.resolve();

describe('beforeCommit.change', () => {
  let hook = nothing;
  const host = mounted({
    shipping: { beforeCommit: { change: (change, manager) => hook(change, manager) } },
  });
  afterEach(() => {
    hook = nothing;
  });

  /** Notes each change as an event of the order `changes`, in the transaction of the change. */
  const note: OnChange = async ({ type, before, after }, manager) => {
    const { project_id: projectId, method_code } = after ?? before ?? { project_id: '', method_code: '' };
    await host.events.record(
      { projectId, orderId: 'changes' },
      { type: `method.${type}`, message: method_code },
      { manager },
    );
  };
  const noted = async (project: string): Promise<string[]> =>
    (await host.events.findAll({ projectId: project, orderId: 'changes' })).map(
      ({ type, message }) => `${type} ${message}`,
    );

  const frozen = new ForbiddenException('The catalogue is frozen.');
  const failing: OnChange = async (change, manager) => {
    await note(change, manager);
    if (change.after?.method_code === '03' || change.before?.method_code === '03') throw frozen;
  };
  const writes: [string, (project: string, id: string, manager?: EntityManager) => Promise<unknown>][] = [
    [
      'create',
      (project, _id, manager) =>
        host.methods.create(project, { ...ground, carrier_code: 'dhl' }, { manager }),
    ],
    [
      'update',
      (project, id, manager) => host.methods.update(project, id, { ...ground, sort_order: 1 }, { manager }),
    ],
    [
      'upsert',
      (project, _id, manager) => host.methods.upsert(project, { ...ground, sort_order: 1 }, { manager }),
    ],
    ['remove', (project, id, manager) => host.methods.remove(project, id, { manager })],
    ['removeAll', (project, _id, manager) => host.methods.removeAll(project, { manager })],
    [
      'upsertMany, after the first of two changes',
      (project, _id, manager) =>
        host.methods.upsertMany(project, [express, { ...ground, sort_order: 1 }], { manager }),
    ],
  ];
  it.each(writes)('that throws undoes %s, and the caller gets its error', async (_name, write) => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    const before = await host.methods.list(project);
    hook = failing;
    const reported: ShippingMethodChange[] = [];
    const subscription = host.methods.changes.subscribe((change) => reported.push(change));

    const error = await write(project, id).catch((thrown: unknown) => thrown);
    subscription.unsubscribe();

    expect(error).toBe(frozen);
    expect(reported).toEqual([]);
    expect(await host.methods.list(project)).toEqual(before);
    expect(await noted(project)).toEqual([]);
    hook = nothing;
    expect(await host.methods.update(project, id, { ...ground, sort_order: 9 })).toMatchObject({
      version: 2,
    });
  });

  it.each(writes)(
    'that throws prevents the COMMIT of its transaction, but not of an outer one: %s',
    async (_name, write) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const before = await host.methods.list(project);
      hook = failing;
      const { dataSource } = host.app.database;

      const committing = dataSource.transaction(async (manager) => {
        await expect(write(project, id, manager)).rejects.toBe(frozen);
      });
      await expect(committing).rejects.toThrow('has failed. Roll the transaction back');
      expect(await host.methods.list(project)).toEqual(before);
      await dataSource.transaction(async (manager) => {
        const nested = manager.transaction((inner) => write(project, id, inner));
        await expect(nested).rejects.toBe(frozen);
        await host.methods.upsert(project, { ...express, sort_order: 7 }, { manager });
      });

      expect((await host.methods.list(project)).data).toMatchObject([ground, { ...express, sort_order: 7 }]);
      expect(await noted(project)).toEqual(['method.created 01']);
    },
  );

  it('makes every later call in the transaction fail after it has thrown, also in a savepoint', async () => {
    const project = freshProject();
    const create = (method_code: string, manager: EntityManager): Promise<unknown> =>
      host.methods.create(project, { ...ground, method_code }, { manager });
    const later: PromiseSettledResult<unknown>[] = [];

    const committing = host.dataSource.transaction(async (manager) => {
      hook = failing;
      await expect(create('03', manager)).rejects.toBe(frozen);
      hook = nothing;
      const nested = manager.transaction((inner) => create('01', inner));
      later.push(...(await Promise.allSettled([nested])));
      later.push(...(await Promise.allSettled([create('02', manager)])));
    });

    await expect(committing).rejects.toThrow('has failed. Roll the transaction back');
    expect(later).toEqual([
      { status: 'rejected', reason: frozen },
      { status: 'rejected', reason: frozen },
    ]);
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  it('whose own call is refused prevents the COMMIT of the transaction', async () => {
    const project = freshProject();
    hook = async ({ after }, manager) => {
      if (after?.method_code === '03') await host.methods.create(project, express, { manager });
    };
    await host.methods.create(project, express);

    const committing = host.dataSource.transaction(async (manager) => {
      const creating = host.methods.create(project, ground, { manager });
      await expect(creating).rejects.toMatchObject({ code: 'duplicate_method' });
    });

    await expect(committing).rejects.toThrow('has failed. Roll the transaction back');
    expect((await host.methods.list(project)).data).toMatchObject([express]);
  });

  onlyWhere('failedTransactions', () => {
    const catching: OnChange = async (_change, manager) => {
      await manager.query(statementThatFails).catch(() => undefined);
    };
    it.each(writes)('that ignores an error of its own statement undoes %s', async (_name, write) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const before = await host.methods.list(project);
      hook = catching;
      const reported: ShippingMethodChange[] = [];
      const subscription = host.methods.changes.subscribe((change) => reported.push(change));
      const runner = host.dataSource.createQueryRunner();

      const writing = [
        await write(project, id).catch(String),
        await write(project, id, runner.manager).catch(String),
      ];
      await runner.release();
      subscription.unsubscribe();

      const failure: unknown = expect.stringContaining('a statement in it had failed');
      expect(writing).toEqual([failure, failure]);
      expect(reported).toEqual([]);
      expect(await host.methods.list(project)).toEqual(before);
    });
  });

  it('that fails in another service gives the error of that service', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    hook = () => Promise.reject(refused);
    const project = freshProject();

    const outcomes = await Promise.allSettled([
      host.methods.create(project, ground),
      host.methods.create(project, express),
    ]);

    const rejected = { status: 'rejected', reason: refused };
    expect(outcomes).toEqual([rejected, rejected]);
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  it('that fails with the code of a deadlock of another database is not run again', async () => {
    const deadlock = Object.assign(new Error('deadlock in another database'), { code: '40P01' });
    let runs = 0;
    hook = () => {
      runs++;
      return Promise.reject(deadlock);
    };

    await expect(host.methods.create(freshProject(), ground)).rejects.toBe(deadlock);

    expect(runs).toBe(1);
  });

  it('whose error has ended a transaction makes later calls in it throw the same error', async () => {
    const project = freshProject();
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    hook = () => Promise.reject(refused);

    const outcomes = await host.dataSource
      .transaction(async (manager) => {
        const first = await host.methods
          .create(project, ground, { manager })
          .catch((error: unknown) => error);
        const second = await host.methods
          .create(project, express, { manager })
          .catch((error: unknown) => error);
        throw new AggregateError([first, second]);
      })
      .catch((error: AggregateError) => error.errors);

    expect(outcomes).toEqual([refused, refused]);
  });

  it('that throws an HttpException gives the route its response', async () => {
    const shop = host.shop();
    hook = failing;

    const { status, text } = await shop.create(ground);

    expect([status, text]).toEqual([403, expect.stringContaining('frozen')]);
    expect((await shop.list()).body.meta.total).toBe(0);
  });
});
