import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

const host = mounted();

describe('calls of their own beside transactions of the host', () => {
  it('are all stored, and leave no transaction open', async () => {
    const project = freshProject();
    const method = (method_code: string) => ({ carrier_code: 'ups', method_code, method_label: 'UPS' });
    // On SQLite, all of them share one connection. The transactions come one after another, as the documents say.
    const transactions = async (): Promise<void> => {
      for (let n = 0; n < 20; n++)
        await host.dataSource.transaction((manager) =>
          host.methods.create(project, method(`joined ${n}`), { manager }),
        );
    };
    const calls = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) await host.methods.create(project, method(`own ${n}`));
    };

    await Promise.all([
      transactions(),
      calls(),
      host.events.record({ projectId: project, orderId: 'o' }, { type: 'a.b' }),
    ]);

    const runner = host.dataSource.createQueryRunner();
    expect(runner.isTransactionActive).toBe(false);
    // If a transaction were still open, this one would only be a savepoint.
    const sent: string[] = [];
    host.dataSource.subscribers.push({ beforeQuery: ({ query }) => void sent.push(query) });
    await runner.startTransaction();
    await runner.rollbackTransaction();
    host.dataSource.subscribers.pop();
    await runner.release();
    expect(sent.filter((sql) => sql.includes('SAVEPOINT'))).toEqual([]);
    expect((await host.methods.list(project)).meta.total).toBe(40);
  });
});
