import { type DataSource } from 'typeorm';
import { expect } from 'vitest';

/** Expects that the counts of a project agree with its rows, so that no change is there by half. */
export async function expectWhole(dataSource: DataSource, project: string): Promise<void> {
  const sums = 'count(*) AS methods, COALESCE(sum(use_default), 0) AS followers';
  const [stored] = await dataSource.query<object[]>(
    `SELECT ${sums} FROM shipping_method WHERE project_id = ?`,
    [project],
  );
  const [counted] = await dataSource.query<object[]>(
    'SELECT COALESCE(sum(methods), 0) AS methods, COALESCE(sum(followers), 0) AS followers FROM shipping_project WHERE project_id = ?',
    [project],
  );
  expect(numbers(counted)).toEqual(numbers(stored));
}

/** A driver gives sums as texts. */
function numbers(row: object | undefined): object {
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
}
