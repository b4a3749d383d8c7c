import { setTimeout as delay } from 'node:timers/promises';
import { connectionError, DatabaseUnavailableError, OrderEvents } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { freshProject } from '../../support/client.js';
import { engine } from '../../support/database.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';

const rounds = sized({ ci: 20, long: 200 });

describe("a host's own transaction", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  it('whose connection ends between two statements fails with database_unavailable and leaves nothing behind', async () => {
    const { dataSource } = app.database;
    const events = app.nest.get(OrderEvents);
    const projectId = freshProject();

    const errors: unknown[] = [];
    for (let round = 1; round <= rounds; round++) {
      const event = { projectId, orderId: `${round}`, type: 'order.placed' };
      const placing = dataSource.transaction(async (manager) => {
        await events.record(event, { manager });
        await engine.killConnection(dataSource.manager, await engine.connectionId(manager));
        // In every second round the driver has time to notice.
        if (round % 2 === 0) await delay(10);
        await events.record(event, { manager });
      });
      errors.push(await placing.then(() => 'committed').catch((error: unknown) => connectionError(error)));
    }

    const left = await Promise.all(
      Array.from({ length: rounds }, (_, index) => events.list(projectId, `${index + 1}`)),
    );
    const unavailable = errors.filter((error) => error instanceof DatabaseUnavailableError).length;
    expect(errors).not.toContain('committed');
    report({
      name: 'backend killed between two statements of a host’s transaction',
      done: `${counted(rounds)} transactions: ${unavailable} database_unavailable, ${left.flat().length} events left`,
      criterion: 'each database_unavailable, nothing left',
      met: unavailable === rounds && left.flat().length === 0,
    });
  });
});
