import { setTimeout as delay } from 'node:timers/promises';
import { type ShippingMethodDto } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshProject } from '../support/client.js';
import { type EngineDatabase, mariadb, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

/** Does on this connection what a server with such an `innodb_rollback_on_timeout` does. It is set at its start. */
function rollingBackOnTimeout({ queryRunner }: EntityManager, rollsBack: boolean): () => void {
  if (!queryRunner) throw new TypeError('A transaction has a query runner.');
  const send = queryRunner.query.bind(queryRunner) as (...query: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(queryRunner, 'query').mockImplementation(async (...query: unknown[]) => {
    if (query[0] === 'SELECT @@innodb_rollback_on_timeout AS ends') return [{ ends: Number(rollsBack) }];
    return send(...query).catch(async (error: unknown) => {
      if (rollsBack && String(error).includes('Lock wait timeout')) await send('ROLLBACK WORK');
      throw error;
    });
  });
  return () => spy.mockRestore();
}

describe.skipIf(mariadb.missing !== undefined)(`a host's transaction on ${titleOf(mariadb)}`, () => {
  let database: EngineDatabase;
  let a: EngineHost;
  let b: EngineHost;
  beforeAll(async () => {
    database = await mariadb.create();
    a = await hostOn(database);
    b = await hostOn(database);
    await a.dataSource.query('CREATE TABLE note (n varchar(64) PRIMARY KEY)');
  });
  afterAll(async () => {
    await a?.close();
    await b?.close();
    await database?.drop();
  });

  const note = (manager: EntityManager, text: string): Promise<unknown> =>
    manager.query('INSERT INTO note VALUES (?)', [text]);
  const notesOf = async (project: string): Promise<string[]> => {
    const rows = await b.dataSource.query<{ n: string }[]>('SELECT n FROM note WHERE n LIKE ?', [
      `%${project}`,
    ]);
    return rows.map(({ n }) => n);
  };
  const settled = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'committed',
      (error: Error) => error.message,
    );

  /** Two transactions that change two methods, each in the other order. */
  const deadlock = async (
    change: (method: ShippingMethodDto, manager: EntityManager) => Promise<unknown>,
    isolation: 'REPEATABLE READ' | 'SERIALIZABLE' = 'REPEATABLE READ',
  ): Promise<{ outcomes: string[]; kept: string[] }> => {
    const project = freshProject();
    const first = await a.methods.create(`${project}x`, ground);
    const second = await a.methods.create(`${project}y`, ground);
    const orders = [
      [first, second],
      [second, first],
    ] as const;
    const outcomes = await Promise.all(
      orders.map(([one, two], index) =>
        settled(
          a.dataSource.transaction(isolation, async (manager) => {
            await note(manager, `before ${index} ${project}`);
            await a.methods.update(one.project_id, one.id, { ...ground, sort_order: 1 }, { manager });
            await delay(100);
            await change(two, manager).catch(() => undefined);
            await note(manager, `after ${index} ${project}`);
          }),
        ),
      ),
    );
    return { outcomes: outcomes.toSorted(), kept: await notesOf(project) };
  };

  it.each<[string, (method: ShippingMethodDto, manager: EntityManager) => Promise<unknown>]>([
    [
      'a call of ours',
      ({ project_id, id }, manager) =>
        a.methods.update(project_id, id, { ...ground, sort_order: 2 }, { manager }),
    ],
    [
      'a call of ours in a nested transaction',
      ({ project_id, id }, manager) =>
        manager.transaction((nested) => a.methods.remove(project_id, id, { manager: nested })),
    ],
  ])('that loses a deadlock with %s commits nothing that comes after it', async (_name, change) => {
    const { outcomes, kept } = await deadlock(change);

    expect(outcomes).toEqual([rolledBack, 'committed']);
    expect(kept).toHaveLength(2);
  });

  it('that has lost a deadlock in a call of ours takes no more calls', async () => {
    const refusals: unknown[] = [];

    await deadlock(async ({ id, project_id }, manager) => {
      const lost = a.methods.update(project_id, id, { ...ground, sort_order: 2 }, { manager });
      await lost.catch(async (error: unknown) => {
        const event = { projectId: project_id, orderId: 'o', type: 'a.b' } as const;
        for (const late of [
          a.methods.create(project_id, { ...ground, method_code: 'after' }, { manager }),
          a.methods.list(project_id, {}, { manager }),
          a.events.record(event, { manager }),
        ])
          refusals.push(await late.catch((refusal: unknown) => refusal));
        refusals.push(error);
      });
    });

    const refused = {
      code: 'database_unavailable',
      cause: { message: expect.stringContaining('roll it back') },
    };
    expect(refusals).toMatchObject([refused, refused, refused, { contention: 'race' }]);
  });

  it.each([true, false])(
    'that loses a lock time-out in a call of ours commits nothing that comes after it; innodb_rollback_on_timeout: %s',
    async (rollsBack) => {
      const project = freshProject();
      const { id } = await a.methods.create(project, ground);
      const holder = b.dataSource.createQueryRunner();
      await holder.startTransaction();
      await b.methods.update(project, id, { ...ground, sort_order: 1 }, { manager: holder.manager });

      const outcome = a.dataSource.transaction(async (manager) => {
        const restore = rollingBackOnTimeout(manager, rollsBack);
        await note(manager, `before ${project}`);
        await manager.query('SET SESSION innodb_lock_wait_timeout = 1');
        const late = a.methods.update(project, id, { ...ground, sort_order: 2 }, { manager });
        await expect(late).rejects.toMatchObject({ contention: 'lock' });
        await manager.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
        await note(manager, `after ${project}`);
        restore();
      });

      await expect(outcome).rejects.toThrow(rolledBack);
      await holder.rollbackTransaction();
      await holder.release();
      expect(await notesOf(project)).toEqual([]);
    },
  );

  it.each(['upsert', 'create'] as const)(
    'that makes the first methods of its tenant by %s does not deadlock with those of others',
    async (name) => {
      const tenants = Array.from({ length: 20 }, () => freshProject());

      const outcomes = await Promise.all(
        tenants.map((tenant, index) => {
          const { dataSource, methods } = index % 2 ? a : b;
          const work = dataSource.transaction(async (manager) => {
            for (let n = 0; n < 5; n++)
              await methods[name](tenant, { ...ground, method_code: `${n}` }, { manager });
          });
          return settled(work);
        }),
      );

      expect(outcomes).toEqual(tenants.map(() => 'committed'));
    },
  );
});
