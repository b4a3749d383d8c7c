import { type DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { runOnEach, statementThatSucceeds } from '../support/statements.js';

/** Whether `record()` is one statement, which commits by itself. Otherwise it has a transaction. */
const isOneStatement = ({ driver }: DataSource): boolean => driver.isReturningSqlSupported('insert');

onlyWhere('severalConnections', () => {
  describe('a connection that breaks while a row is written', () => {
    const host = mounted();
    const project = freshProject();
    const event = [{ projectId: project, orderId: 'o' }, { type: 'order.placed' }] as const;
    beforeAll(async () => {
      await host.methods.create(project, ground);
      await engine.killInserters(host.dataSource.manager);
    });

    it('makes the outcome of an event unknown only if the statement commits by itself', async () => {
      const create = host.methods.create(project, { ...ground, method_code: '01' });
      await expect(create).rejects.toMatchObject({ code: 'database_unavailable', status: 503 });
      const code = isOneStatement(host.dataSource) ? 'outcome_unknown' : 'database_unavailable';
      await expect(host.events.record(...event)).rejects.toMatchObject({ code, status: 503 });
    });

    it("makes a call in the caller's transaction fail with database_unavailable", async () => {
      const inTransaction = async (write: (manager: object) => Promise<unknown>): Promise<unknown> => {
        // A pool may lend a connection that has ended without its knowledge.
        await runOnEach(host.app.database, [statementThatSucceeds]);
        return host.dataSource.transaction((manager) => write({ manager }));
      };

      const creating = inTransaction((options) =>
        host.methods.create(project, { ...ground, method_code: '02' }, options),
      );
      await expect(creating).rejects.toMatchObject({ code: 'database_unavailable' });
      const recording = inTransaction((options) => host.events.record(...event, options));
      await expect(recording).rejects.toMatchObject({ code: 'database_unavailable' });
      expect((await host.methods.list(project)).meta.total).toBe(1);
    });
  });
});

onlyWhere('connections', () => {
  describe('a connection that breaks before the response to a change arrives', () => {
    const host = mounted();

    /** The database makes each change, but its first response is lost. @returns how many changes were sent */
    const losingAResponse = async (work: () => Promise<unknown>): Promise<number> => {
      let changes = 0;
      const commits = isOneStatement(host.dataSource)
        ? /COMMIT|INSERT INTO \S*shipping_order_event/
        : /COMMIT/;
      const end = await engine.intercept(host.dataSource.manager, async (sql, send) => {
        const result = await send();
        if (commits.test(sql) && ++changes === 1) throw engine.brokenConnection();
        return result;
      });
      await work().finally(end);
      return changes;
    };

    type Change = (project: string, id: string) => Promise<unknown>;

    it.each<[string, Change, found: object]>([
      ['create', (project) => host.methods.create(project, { ...ground, method_code: '01' }), { total: 2 }],
      [
        'update',
        (project, id) => host.methods.update(project, id, { ...ground, sort_order: 1 }),
        { version: 2 },
      ],
      ['remove', (project, id) => host.methods.remove(project, id), { total: 0 }],
      [
        'event',
        (projectId) => host.events.record({ projectId, orderId: 'o' }, { type: 'order.placed' }),
        { recorded: 1 },
      ],
    ])('makes the outcome unknown, and the change is not made again: %s', async (_name, change, found) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const reported: unknown[] = [];
      const subscription = host.methods.changes.subscribe((one) => reported.push(one));

      const changes = await losingAResponse(() =>
        expect(change(project, id)).rejects.toMatchObject({ code: 'outcome_unknown' }),
      );
      subscription.unsubscribe();

      const { data, meta } = await host.methods.list(project);
      const recorded = (await host.events.findAll({ projectId: project, orderId: 'o' })).length;
      expect({ ...data[0], ...meta, recorded }).toMatchObject(found);
      expect([changes, reported]).toEqual([1, []]);
    });
  });
});
