import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onlyWhere, testDatabase } from '../../support/database.js';

onlyWhere('severalConnections', () => {
  it('docs/sql/who-blocks.sql names the session whose transaction others wait for', async () => {
    const database = await testDatabase({ connections: 3 });
    const sql = readFileSync(new URL('../../../docs/sql/who-blocks.sql', import.meta.url), 'utf8');
    const [blocker, waiter] = [
      database.dataSource.createQueryRunner(),
      database.dataSource.createQueryRunner(),
    ];
    const lock = 'SELECT pg_advisory_xact_lock(hashtext(current_schema()))';
    await blocker.startTransaction();
    await blocker.query(lock);
    const [{ pid }] = (await blocker.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    await waiter.startTransaction();
    const waiting = waiter.query(lock);

    const found = async () =>
      (await database.dataSource.query<{ pid: number; waiting: string }[]>(sql)).filter(
        (row) => row.pid === pid,
      );
    await expect.poll(found).toMatchObject([{ state: 'idle in transaction', waiting: '1' }]);

    await blocker.rollbackTransaction();
    await waiting;
    await waiter.rollbackTransaction();
    await blocker.release();
    await waiter.release();
    await database.close();
  });
});
