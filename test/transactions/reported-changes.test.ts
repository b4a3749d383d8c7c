import { Logger } from '@nestjs/common';
import { type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';
import { emitted } from '../support/emitted.js';

describe('the stream of changes', () => {
  const host = mounted();
  const seen = emitted(() => host.methods.changes);

  it.each([
    ['none', ['outer', 'middle', 'inner']],
    ['inner', ['outer', 'middle']],
    ['middle', ['outer']],
    ['outer', []],
  ])('after three nested transactions and a rollback of %s has the changes of %j', async (failing, kept) => {
    const project = freshProject();
    type Work = (manager: EntityManager) => Promise<void>;
    const level =
      (method_code: string, next?: Work): Work =>
      async (manager) => {
        await host.methods.create(project, { ...ground, method_code }, { manager });
        if (next) await manager.transaction(next).catch(() => undefined);
        if (method_code === failing) throw new Error('rollback');
      };

    const work = level('outer', level('middle', level('inner')));
    await host.dataSource.transaction(work).catch(() => undefined);

    const { data } = await host.methods.list(project);
    expect(seen.map(({ after }) => after?.method_code)).toEqual(kept);
    expect(data.map(({ method_code }) => method_code)).toEqual(kept.toSorted());
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no mail');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no mail'))],
  ])('reaches the other subscribers if one %s, and logs its error', async (_how, fail) => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const failing = host.methods.changes.subscribe(fail);
    const last: ShippingMethodChange[] = [];
    const behind = host.methods.changes.subscribe({ next: (change) => void last.push(change) });
    const project = freshProject();

    const created = await host.methods.create(project, ground);
    await host.methods.remove(project, created.id);

    failing.unsubscribe();
    behind.unsubscribe();
    const errors = logged.mock.calls.map(([message, stack]) => `${message} ${stack}`);
    logged.mockRestore();
    expect(last.map(({ type }) => type)).toEqual(['created', 'removed']);
    expect(seen).toEqual(last);
    expect(errors).toEqual(Array(2).fill(expect.stringMatching(/A subscriber has failed.*no mail/)));
  });

  it('does not report changes whose COMMIT fails', async () => {
    const { dataSource } = host.app.database;
    await engine.prepareFailingCommits(dataSource.manager);
    const lost = freshProject();
    const kept = freshProject();

    const committed = dataSource.transaction(async (manager) => {
      await host.methods.create(lost, ground, { manager });
      await engine.failCommit(manager);
    });
    await expect(committed).rejects.toThrow(engine.commitFailure);
    await dataSource.transaction((manager) => host.methods.create(kept, ground, { manager }));

    expect(seen.map(({ after }) => after?.project_id)).toEqual([kept]);
    expect((await host.methods.list(lost)).meta.total).toBe(0);
  });

  it('reports a change at once if the query runner has no transaction', async () => {
    const runner = host.dataSource.createQueryRunner();
    const [lost, kept, after] = [freshProject(), freshProject(), freshProject()];

    for (const [project, end] of [
      [lost, 'rollbackTransaction'],
      [kept, 'commitTransaction'],
    ] as const) {
      await runner.startTransaction();
      await host.methods.create(project, ground, { manager: runner.manager });
      await runner[end]();
    }
    await host.methods.create(after, ground, { manager: runner.manager });
    const reported = seen.map((change) => change.after?.project_id);
    await runner.release();

    expect(reported).toEqual([kept, after]);
  });
});
