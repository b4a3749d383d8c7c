import { expect, it } from 'vitest';
import { mounted } from '../../mounted.js';
import { freshProject, ground } from '../../support/client.js';

const host = mounted();

it('times are in UTC, whatever the time zone of the session is', async () => {
  const project = freshProject();
  const order = { projectId: project, orderId: 'o' };
  const occurred_at = '2026-01-31T20:00:00.001Z';
  await host.methods.create(project, ground);
  await host.events.record(order, { type: 'a.b', occurred_at });
  const read = { methods: await host.methods.findAll(project), events: await host.events.findAll(order) };

  await host.dataSource.transaction(async (manager) => {
    await manager.query(`SET LOCAL TIME ZONE 'Asia/Kathmandu'`);
    expect({
      methods: await host.methods.findAll(project, { manager }),
      events: await host.events.findAll(order, { manager }),
    }).toEqual(read);
    expect(await host.events.record(order, { type: 'a.b', occurred_at }, { manager })).toMatchObject({
      occurred_at,
    });
  });
});
