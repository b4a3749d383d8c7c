import { OrderEvent } from 'nestjs-shipping';
import { expect, it } from 'vitest';
import { mounted } from '../../mounted.js';
import { freshProject } from '../../support/client.js';
import { addEvents } from '../../support/rows.js';

const host = mounted();

it('removals delete the events after those that the database keeps', async () => {
  const [projectId, orderId] = [freshProject(), 'o'];
  const { manager } = host.dataSource;
  const { schema, tableName } = manager.connection.getMetadata(OrderEvent);
  await manager.query(
    `CREATE RULE kept AS ON DELETE TO "${schema ?? 'public'}"."${tableName}" WHERE OLD.type = 'order.held' DO INSTEAD NOTHING`,
  );
  await addEvents(manager, { projectId, orderId }, 2000, (n) => ({
    occurredAt: new Date(Date.UTC(2026, 0, 1) + n),
    type: n <= 1200 ? 'order.held' : 'order.placed',
  }));

  expect(await host.events.removeHistory({ projectId, orderId })).toBe(800);
  expect(await host.events.removeHistories(projectId)).toBe(0);
  expect(await manager.countBy(OrderEvent, { projectId })).toBe(1200);
});
