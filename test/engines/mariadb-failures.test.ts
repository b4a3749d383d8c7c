import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { mariadb as mariadbTools } from '../support/engines/mariadb.js';
import { type EngineDatabase, onMariadbAndMysql } from './databases.js';
import { type EngineHost, hostOn, hostWithSessions } from './host.js';

onMariadbAndMysql('on', (server) => {
  let database: EngineDatabase;
  let a: EngineHost;
  let b: EngineHost;
  beforeAll(async () => {
    database = await server.create();
    a = await hostWithSessions(database, ['SET SESSION innodb_lock_wait_timeout = 1']);
    b = await hostOn(database);
  });
  afterAll(async () => {
    await a?.close();
    await b?.close();
    await database?.drop();
  });

  it('a change of a method in an open cart fails after the lock time-out', async () => {
    const project = freshProject();
    const { id } = await a.methods.create(project, ground);
    await mariadbTools('mysql:').createCart(b.dataSource.manager);

    const refused = await b.dataSource.transaction(async (manager) => {
      await manager.query('INSERT INTO cart VALUES (?, ?)', [project, id]);
      const update = a.methods.update(project, id, { ...ground, sort_order: 1 });
      return update.catch((error: unknown) => error);
    });

    expect(refused).toMatchObject({ code: 'database_unavailable', contention: 'lock' });
    await expect(a.methods.remove(project, id)).rejects.toMatchObject({ code: 'method_in_use' });
    expect(await a.methods.update(project, id, { ...ground, sort_order: 1 })).toMatchObject({ version: 2 });
    await b.dataSource.query('DROP TABLE cart');
  });

  it('a call that comes after its connection was killed says that the transaction has ended', async () => {
    let late: Promise<unknown> | undefined;
    const broken = a.dataSource.transaction(async (manager) => {
      const [{ id } = { id: 0 }] = await manager.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
      await b.dataSource.query(`KILL ${id}`);
      await manager.query('SELECT 1').catch(() => undefined);
      late = delay(200).then(() =>
        a.events.record({ projectId: 'p', orderId: 'o' }, { type: 'a.b' }, { manager }),
      );
    });

    await expect(broken).rejects.toThrow(/closed|lost/i);
    await expect(late).rejects.toThrow('its transaction had ended');
  });

  it('killed connections lose no acknowledged change, and the next call works', async () => {
    const own = await hostOn(database);
    const acknowledged: string[] = [];
    const errors = new Set<string>();
    const progress = { isOver: false };
    const writer = async (): Promise<void> => {
      while (!progress.isOver) {
        const project = freshProject();
        const made = await own.methods.create(project, ground).catch((error: { code: string }) => error.code);
        if (typeof made === 'string') errors.add(made);
        else acknowledged.push(project);
      }
    };
    const kill = async (): Promise<void> => {
      const rows = await b.dataSource.query<{ id: number }[]>(
        'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
      );
      for (const { id } of rows) await b.dataSource.query(`KILL ${id}`).catch(() => undefined);
    };

    const writers = [writer(), writer(), writer()];
    for (let n = 0; n < 10; n++) {
      await delay(40);
      await kill();
    }
    progress.isOver = true;
    await Promise.all(writers);

    expect([...errors].filter((code) => !/^(database_unavailable|outcome_unknown)$/.test(code))).toEqual([]);
    for (const project of acknowledged) expect((await b.methods.list(project)).meta.total).toBe(1);
    expect(await own.methods.create(freshProject(), ground)).toMatchObject(ground);
    await own.close();
  });
});
