import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type EngineDatabase, sqlite, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

describe.skipIf(sqlite.missing !== undefined)(`two connections to one file on ${titleOf(sqlite)}`, () => {
  let database: EngineDatabase;
  let a: EngineHost;
  let b: EngineHost;
  beforeAll(async () => {
    database = await sqlite.create();
    a = await hostOn(database);
    b = await hostOn(database);
  });
  afterAll(async () => {
    await a?.close();
    await b?.close();
    await database?.drop();
  });

  it('show each acknowledged change to the other', async () => {
    const project = freshProject();
    for (let n = 1; n <= 50; n++) {
      const [writer, reader] = n % 2 ? [a, b] : [b, a];
      await writer.methods.upsert(project, { ...ground, sort_order: n });
      expect((await reader.methods.list(project)).data).toMatchObject([{ sort_order: n }]);
    }
  });

  it('refuse a change in a transaction whose snapshot is older, and commit nothing of it', async () => {
    const project = freshProject();
    const events = [{ projectId: project, orderId: 'o' }, { type: 'a.b' as const }] as const;

    const work = a.dataSource.transaction(async (manager) => {
      await a.methods.list(project, {}, { manager });
      await b.methods.create(project, ground);
      await a.methods.create(project, { ...ground, method_code: 'late' }, { manager }).catch(() => undefined);
      await a.events.record(...events, { manager }).catch(() => undefined);
    });

    await expect(work).rejects.toThrow('has failed. Roll the transaction back');
    expect((await b.methods.list(project)).meta.total).toBe(1);
    expect(await b.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
  });

  it('wait for another writer once, no longer than the time-out', async () => {
    const c = await hostOn(database, {}, { timeout: 300 });
    await a.dataSource.query('BEGIN IMMEDIATE');
    const project = freshProject();
    for (const call of [
      () => c.methods.create(project, ground),
      () => c.events.record({ projectId: project, orderId: 'o' }, { type: 'a.b' }),
    ]) {
      const began = Date.now();
      await expect(call()).rejects.toMatchObject({ code: 'database_unavailable' });
      expect(Date.now() - began).toBeLessThan(600);
    }
    await a.dataSource.query('ROLLBACK');
    await c.close();
  });
});
