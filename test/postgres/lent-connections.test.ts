import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { runOnEach, statementThatFails } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('a connection that the host gave back', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  const leave = (...statements: string[]): Promise<void> => runOnEach(app.database, statements);

  it('inside a failed transaction works even when the driver cannot tell its state', async () => {
    const shop = new Client(app.origin, freshProject());
    const runner = app.database.dataSource.createQueryRunner();
    const client = Object.getPrototypeOf(await runner.connect()) as { getTransactionStatus(): string | null };
    await runner.release();
    const status = vi.spyOn(client, 'getTransactionStatus').mockReturnValue(null);

    await leave('BEGIN', statementThatFails);
    const created = await shop.create(ground);
    await leave('BEGIN', statementThatFails);
    const list = await shop.list();
    status.mockRestore();
    await leave('ROLLBACK');

    expect(created.status).toBe(201);
    expect(list.body.data).toMatchObject([ground]);
  });
});
