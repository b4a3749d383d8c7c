import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onlyWhere, testDatabase } from '../../support/database.js';

onlyWhere('severalConnections', () => {
  it('docs/sql/who-blocks.sql names the sessions for which others wait, and first the one that waits for nobody', async () => {
    const database = await testDatabase({ connections: 4 });
    const sql = readFileSync(new URL('../../../docs/sql/who-blocks.sql', import.meta.url), 'utf8');
    const runners = [1, 2, 3].map(() => database.dataSource.createQueryRunner());
    const [last, middle, first] = runners as [(typeof runners)[0], (typeof runners)[0], (typeof runners)[0]];
    const lock = (name: string) => `SELECT pg_advisory_xact_lock(hashtext(current_schema() || '${name}'))`;
    await middle.startTransaction();
    await middle.query(lock('b'));
    await first.startTransaction();
    await first.query(lock('a'));
    await last.startTransaction();
    const pids = await Promise.all(
      [first, middle].map((runner) => runner.query('SELECT pg_backend_pid() AS pid')),
    );
    const waiting = [middle.query(lock('a')), last.query(lock('b'))];

    const ours = new Set(pids.flat().map(({ pid }: { pid: number }) => pid));
    const found = async () =>
      (await database.dataSource.query<{ pid: number }[]>(sql)).filter(({ pid }) => ours.has(pid));
    await expect.poll(found).toMatchObject([
      { pid: pids[0][0].pid, state: 'idle in transaction', waiting: '1' },
      { pid: pids[1][0].pid, state: 'active', waiting: '1' },
    ]);

    for (const runner of [first, middle, last]) await runner.rollbackTransaction();
    await Promise.all(waiting);
    for (const runner of runners) await runner.release();
    await database.close();
  });
});
