import { type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';

describe('the stream of changes', () => {
  const host = mounted();
  let seen: ShippingMethodChange[];
  let stop: () => void;
  beforeEach(() => {
    seen = [];
    const subscription = host.methods.changes.subscribe((change) => seen.push(change));
    stop = () => subscription.unsubscribe();
  });
  afterEach(() => stop());

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
