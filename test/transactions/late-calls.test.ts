import { DatabaseUnavailableError, EndedTransactionError } from 'nestjs-shipping';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

/** The statements that a manager sends from now on. */
function sentBy({ queryRunner }: EntityManager): string[] {
  const runner = queryRunner as QueryRunner;
  const sent: string[] = [];
  const query = runner.query.bind(runner);
  runner.query = ((sql: string, ...rest: never[]) => {
    sent.push(sql);
    return query(sql, ...rest);
  }) as typeof query;
  return sent;
}

describe('a call that nobody awaits', () => {
  const host = mounted();

  it('becomes part of the transaction or is refused, at whatever moment of the COMMIT it comes', async () => {
    const late: string[] = [];

    for (let moment = 0; moment < 30; moment++) {
      const event = [{ projectId: freshProject(), orderId: 'o' }, { type: 'a.b' }] as const;
      let sent: string[] = [];
      let call: Promise<unknown> | undefined;
      await host.dataSource.transaction(async (manager) => {
        sent = sentBy(manager);
        const record = async (): Promise<unknown> => {
          for (let waited = 0; waited < moment; waited++) await undefined;
          return host.events.record(...event, { manager });
        };
        call = record().catch((error: unknown) => error);
      });
      const outcome = await call;

      // TypeORM may release the connection after the call has found no transaction on it.
      const isRefused =
        outcome instanceof DatabaseUnavailableError || outcome instanceof EndedTransactionError;
      const events = await host.events.findAll(event[0]);
      expect(events).toMatchObject(isRefused ? [] : [{ id: (outcome as { id: string }).id }]);
      expect(events).toHaveLength(isRefused ? 0 : 1);
      const after = sent.slice(sent.indexOf('COMMIT') + 1);
      const first = after.find((sql) => !sql.startsWith('SELECT'));
      // On SQLite a manager can be used after its transaction, and may begin another one.
      if (first && !isRefused && !/^(BEGIN|START)/.test(first)) late.push(first);
    }

    expect(late).toEqual([]);
  });
});
