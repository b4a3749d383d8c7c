// After all migrations were reverted.
import assert from 'node:assert/strict';
import { dataSource } from './data-source.js';

async function main(): Promise<void> {
  await dataSource.initialize();
  assert.deepEqual(
    (await dataSource.query<object[]>('SHOW TABLES')).map((row) => Object.values(row)),
    [['migrations']],
  );
  console.log('✓ no table is left');
  await dataSource.destroy();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
