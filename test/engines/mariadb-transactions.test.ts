import { setTimeout as delay } from 'node:timers/promises';
import { type ShippingMethodDto } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type EngineDatabase, onMariadbAndMysql } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

const refused =
  'A call of ShippingModule in this transaction, or a statement beside it, has failed. Roll the transaction back.';

onMariadbAndMysql("a host's transaction on", (server) => {
  let database: EngineDatabase;
  let a: EngineHost;
  let b: EngineHost;
  beforeAll(async () => {
    database = await server.create();
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

  /** Runs two transactions that change the same two methods in opposite orders. */
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

    expect(outcomes).toEqual([refused, 'committed']);
    expect(kept).toHaveLength(2);
  });

  it('that has lost a deadlock in a call of ours takes no more calls', async () => {
    const errors: unknown[] = [];

    await deadlock(async ({ id, project_id }, manager) => {
      const lost = a.methods.update(project_id, id, { ...ground, sort_order: 2 }, { manager });
      await lost.catch(async (error: unknown) => {
        const event = [project_id, 'o', { type: 'a.b' }] as const;
        for (const late of [
          a.methods.create(project_id, { ...ground, method_code: 'after' }, { manager }),
          a.methods.list(project_id, {}, { manager }),
          a.events.record(...event, { manager }),
        ])
          errors.push(await late.catch((thrown: unknown) => thrown));
        errors.push(error);
      });
    });

    const [error] = errors.splice(-1);
    expect(error).toMatchObject({ code: 'database_unavailable', contention: 'race' });
    expect(errors).toEqual([error, error, error]);
  });

  it('refuses what comes after a lock time-out in a call of ours, and stores nothing', async () => {
    const project = freshProject();
    const { id } = await a.methods.create(project, ground);
    const holder = b.dataSource.createQueryRunner();
    await holder.startTransaction();
    await b.methods.update(project, id, { ...ground, sort_order: 1 }, { manager: holder.manager });

    const outcome = a.dataSource.transaction(async (manager) => {
      await note(manager, `before ${project}`);
      await manager.query('SET SESSION innodb_lock_wait_timeout = 1');
      const late = a.methods.update(project, id, { ...ground, sort_order: 2 }, { manager });
      await expect(late).rejects.toMatchObject({ contention: 'lock' });
      await note(manager, `after ${project}`);
    });

    await expect(outcome).rejects.toThrow(refused);
    await holder.rollbackTransaction();
    await holder.release();
    expect(await notesOf(project)).toEqual([]);
    await a.dataSource.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
  });

  it.each(['upsert', 'create'] as const)(
    'that creates the first methods of a tenant by %s does not deadlock with others',
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
