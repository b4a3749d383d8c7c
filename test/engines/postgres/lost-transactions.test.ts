import { type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../../mounted.js';
import { freshProject } from '../../support/client.js';
import { anyStatement, statementThatFails } from '../../support/statements.js';

const event = { type: 'order.placed' };

/** After a failed statement, a nested transaction cannot begin. TypeORM then rolls the outer one back. */
describe('a transaction that a nested one has rolled back', () => {
  const host = mounted();

  it('stores no event of a later nested transaction', async () => {
    const project = freshProject();
    const errors: unknown[] = [];
    const record = (inner: EntityManager) =>
      host.events.record({ projectId: project, orderId: 'o' }, event, { manager: inner });

    const committed = host.dataSource.transaction(async (manager) => {
      await manager.query(statementThatFails).catch(() => undefined);
      for (let n = 0; n < 3; n++)
        errors.push(await manager.transaction(record).catch((error: unknown) => error));
    });

    await expect(committed).rejects.toThrow('Transaction is not started yet');
    expect(errors.map(String)).toEqual([
      expect.stringContaining('current transaction is aborted'),
      expect.stringContaining('EndedTransactionError'),
      expect.stringContaining('EndedTransactionError'),
    ]);
    expect(await host.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
  });

  it('leaves a QueryRunner on which no statement and no call of ours runs, except a ROLLBACK', async () => {
    const runner = host.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(statementThatFails).catch(() => undefined);
    await runner.manager.transaction(anyStatement).catch(() => undefined);

    await expect(anyStatement(runner.manager)).rejects.toThrow('its transaction had ended');
    await expect(runner.startTransaction()).rejects.toThrow('its transaction had ended');
    const call = host.events.record({ projectId: freshProject(), orderId: 'o' }, event, {
      manager: runner.manager,
    });
    await expect(call).rejects.toThrow('If you keep a QueryRunner, take a new one.');
    await runner.rollbackTransaction();
    await runner.release();
  });
});
