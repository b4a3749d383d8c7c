import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from './support/app.js';
import { freshProject } from './support/client.js';
import { serverUrl } from './support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

// The embedded database has no backend to lose.
describe.skipIf(!serverUrl)('a connection that breaks while a row is written', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  const project = freshProject();
  const event = { projectId: project, orderId: 'o', type: 'order.placed' } as const;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
    await methods.create(project, ground);
    const { dataSource, table } = app.database;
    await dataSource.query(
      `CREATE FUNCTION ${table('lose')}() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`,
    );
    for (const name of ['shipping_method', 'shipping_order_event'])
      await dataSource.query(
        `CREATE TRIGGER lose BEFORE INSERT ON ${table(name)} FOR EACH ROW EXECUTE FUNCTION ${table('lose')}()`,
      );
  });
  afterAll(() => app?.close());

  it('fails with outcome_unknown, because the method or event may have been written', async () => {
    const create = methods.create(project, { ...ground, method_code: '01' });
    await expect(create).rejects.toMatchObject({ code: 'outcome_unknown', status: 503 });
    await expect(events.record(event)).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it("leaves nothing behind in the caller's transaction, and fails with database_unavailable", async () => {
    const inTransaction = (write: (manager: object) => Promise<unknown>): Promise<unknown> =>
      app.database.dataSource.transaction((manager) => write({ manager }));

    const creating = inTransaction((options) =>
      methods.create(project, { ...ground, method_code: '02' }, options),
    );
    await expect(creating).rejects.toMatchObject({ code: 'database_unavailable' });
    const recording = inTransaction((options) => events.record(event, options));
    await expect(recording).rejects.toMatchObject({ code: 'database_unavailable' });
    expect((await methods.list(project)).meta.total).toBe(1);
  });
});
