import { OrderEventsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../test/support/app.js';
import { Client, freshProject } from '../../../test/support/client.js';
import { engine } from '../../../test/support/database.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';

const appends = sized({ ci: 300, long: 20_000 });
/** On SQLite, TypeORM has one transaction at a time. */
const atOnce = engine.has.connections ? 8 : 1;

describe("events in a caller's transactions", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  it('exist if, and only if, their transaction commits', async () => {
    const events = app.nest.get(OrderEventsService);
    const client = new Client(app.origin, freshProject());
    const orders = Array.from({ length: 10 }, (_, order) => `order-${order}`);
    const kept: string[] = [];
    let rolledBack = 0;
    let next = 0;

    const caller = async (): Promise<void> => {
      for (let append = next++; append < appends; append = next++) {
        const orderId = orders[append % orders.length] ?? '';
        const isKept = append % 2 === Math.floor(append / orders.length) % 2;
        let id = '';
        const outcome = app.database.dataSource.transaction(async (manager) => {
          const sent = [
            { projectId: client.project, orderId },
            { type: 'order.note_added', data: { append } },
          ] as const;
          ({ id } = await events.record(...sent, { manager }));
          if (!isKept) throw new Error('rollback');
        });
        const error = await outcome.then(() => undefined, String);
        expect(error).toBe(isKept ? undefined : 'Error: rollback');
        if (isKept) kept.push(id);
        else rolledBack++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, caller));

    const found: string[] = [];
    for (const order of orders) {
      const { body } = await client.send<{ data: { id: string }[] }>('GET', `${client.base}/${order}/events`);
      found.push(...body.data.map(({ id }) => id));
    }
    const phantoms = found.filter((id) => !kept.includes(id)).length;
    const missing = kept.filter((id) => !found.includes(id)).length;
    report({
      name: 'caller rollback',
      done: `${counted(appends)} appends, ${counted(rolledBack)} rolled back: ${phantoms} phantom, ${missing} missing`,
      criterion: '0 phantom, 0 missing',
      met: phantoms + missing === 0 && found.length === kept.length && rolledBack === appends / 2,
    });
  });
});
