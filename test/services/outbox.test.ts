import {
  OrderEventsService,
  type ShippingMethodChange,
  type ShippingMethodDto,
  shippingEntities,
  ShippingMethodsService,
} from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  OutboxEntry,
  sendOutbox,
  writeChange,
  writeEvent,
} from '../../examples/nest11-express-mariadb/src/outbox.js';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

/** @returns the type of a change and the code of its method, or the type of an event */
function summaryOf({ type, body }: OutboxEntry): string {
  const { method_code } = body as Partial<ShippingMethodDto>;
  return method_code === undefined ? type : `${type.replace('method.', '')} ${method_code}`;
}

describe('an outbox', () => {
  let database: TestDatabase;
  let app: TestApp;
  let methods: ShippingMethodsService;
  beforeAll(async () => {
    database = await testDatabase({ entities: [...shippingEntities, OutboxEntry] });
    // This adds the table of the outbox. The other tables match their entities.
    await database.dataSource.synchronize();
    app = await testApp({ database, shipping: { beforeCommit: { change: writeChange, event: writeEvent } } });
    methods = app.nest.get(ShippingMethodsService);
  });
  afterAll(async () => {
    await app?.close();
    await database?.close();
  });
  beforeEach(() => database.dataSource.manager.clear(OutboxEntry));

  const entries = async (): Promise<string[]> => {
    const rows = await database.dataSource.manager.find(OutboxEntry, { order: { id: 'ASC' } });
    return rows.map(summaryOf);
  };

  it('has a row for each committed change, and subscribers get the same changes', async () => {
    const project = freshProject();
    const emitted: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => emitted.push(change));

    const { id } = await methods.create(project, ground);
    await methods.update(project, id, ground);
    await methods.upsertMany(project, [express, { ...ground, sort_order: 1 }]);
    await new Client(app.origin, project).remove(id);
    await methods.removeAll(project);
    subscription.unsubscribe();

    expect(await entries()).toEqual(['created 03', 'created 01', 'updated 03', 'removed 03', 'removed 01']);
    expect(emitted.map(({ type, before, after }) => `${type} ${(after ?? before)?.method_code}`)).toEqual(
      await entries(),
    );
  });

  it('has a row for each new event, in the order of the transaction', async () => {
    const project = freshProject();
    const events = app.nest.get(OrderEventsService);
    const placed = [
      { projectId: project, orderId: 'o' },
      { type: 'order.placed', dedupe_key: 'placed' },
    ] as const;

    await database.dataSource.transaction(async (manager) => {
      await events.record(...placed, { manager });
      await methods.create(project, ground, { manager });
      await events.record(...placed, { manager });
    });

    expect(await entries()).toEqual(['order.placed', 'created 03']);
  });

  it('has no row for changes that are rolled back or cannot be committed', async () => {
    const project = freshProject();
    const { dataSource } = database;
    await engine.prepareFailingCommits(dataSource.manager);

    const rolledBack = dataSource.transaction(async (manager) => {
      await methods.upsertMany(project, [ground, express], { manager });
      throw new Error('rollback');
    });
    await expect(rolledBack).rejects.toThrow('rollback');
    const uncommitted = dataSource.transaction(async (manager) => {
      await methods.create(project, ground, { manager });
      await engine.failCommit(manager);
    });
    await expect(uncommitted).rejects.toThrow(engine.commitFailure);
    await dataSource.transaction(async (manager) => {
      const nested = manager.transaction(async (inner) => {
        await methods.create(project, ground, { manager: inner });
        throw new Error('this part');
      });
      await expect(nested).rejects.toThrow('this part');
      await methods.create(project, express, { manager });
    });

    expect(await entries()).toEqual(['created 01']);
  });

  it('that cannot be written keeps the change from being made', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    const { manager } = database.dataSource;
    const outbox = database.table('outbox');
    await manager.query(`ALTER TABLE ${outbox} RENAME TO lost`);

    const changing = methods.upsertMany(project, [express, { ...ground, sort_order: 1 }]);

    await expect(changing).rejects.toThrow(/outbox/);
    await manager.query(`ALTER TABLE ${outbox.replace('outbox', 'lost')} RENAME TO outbox`);
    expect((await methods.list(project)).data).toMatchObject([{ ...ground, version: 1 }]);
    expect(await entries()).toEqual(['created 03']);
  });

  // `sendOutbox()` locks rows, which SQLite cannot do.
  onlyWhere('connections', () => {
    it('is sent in order, and keeps what could not be sent', async () => {
      await methods.upsertMany(freshProject(), [ground, express]);
      const sent: string[] = [];

      const sending = sendOutbox(database.dataSource, async (entry) => {
        if (summaryOf(entry) === 'created 01') throw new Error('The receiver is away.');
        sent.push(summaryOf(entry));
      });

      await expect(sending).rejects.toThrow('away');
      expect(sent).toEqual(['created 03']);
      expect(await entries()).toEqual(['created 01']);
    });
  });
});
