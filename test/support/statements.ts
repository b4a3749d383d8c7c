import { type DataSource, type EntityManager } from 'typeorm';
import { vi } from 'vitest';
import { type TestDatabase } from './engine.js';

/** Notes the statements that TypeORM or the module sends from now on. */
export function watchStatements({ logger }: DataSource): { sent: string[]; stop: () => void } {
  const sent: string[] = [];
  const logged = vi.spyOn(logger, 'logQuery').mockImplementation((sql) => void sent.push(sql));
  return { sent, stop: () => logged.mockRestore() };
}

/** A statement of the host that succeeds. */
export const statementThatSucceeds = 'SELECT 1';
/** A statement of the host that fails. */
export const statementThatFails = 'SELECT * FROM no_such_table';

export function anyStatement(manager: Pick<EntityManager, 'query'>): Promise<unknown> {
  return manager.query(statementThatSucceeds);
}

/** Runs statements on every connection of the pool, even if they fail, and gives the connections back. */
export async function runOnEach(
  { dataSource, isEmbedded }: TestDatabase,
  statements: readonly string[],
): Promise<void> {
  const runners = Array.from({ length: isEmbedded ? 1 : 10 }, () => dataSource.createQueryRunner());
  for (const runner of runners) {
    await runner.connect();
    for (const sql of statements) await runner.query(sql).catch(() => undefined);
  }
  for (const runner of runners) await runner.release();
}
