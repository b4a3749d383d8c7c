import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

describe('a connection that breaks before the answer to a change arrives', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
  });
  afterAll(() => app?.close());

  interface Client {
    query(...sent: unknown[]): Promise<unknown>;
  }

  /** Lets the database make changes, but loses its first answer to one. @returns how many changes were sent */
  const losingAnAnswer = async (work: () => Promise<unknown>): Promise<number> => {
    const runner = app.database.dataSource.createQueryRunner();
    const client = Object.getPrototypeOf(await runner.connect()) as Client;
    await runner.release();
    const { query } = client;
    let changes = 0;
    const sent = vi.spyOn(client, 'query').mockImplementation(async function (this: Client, ...statement) {
      const result: unknown = await Reflect.apply(query, this, statement);
      const isChange = /INSERT INTO|UPDATE .* SET|DELETE FROM/s.test(JSON.stringify(statement[0]));
      if (isChange && ++changes === 1) throw new Error('Connection terminated unexpectedly');
      return result;
    });
    await work().finally(() => sent.mockRestore());
    return changes;
  };

  type Change = (project: string, id: string) => Promise<unknown>;

  it.each<[string, Change, found: object]>([
    ['create', (project) => methods.create(project, { ...ground, method_code: '01' }), { total: 2 }],
    ['upsert', (project) => methods.upsert(project, { ...ground, method_code: '01' }), { total: 2 }],
    [
      'upsert of what exists',
      (project) => methods.upsert(project, { ...ground, sort_order: 1 }),
      { version: 2 },
    ],
    ['update', (project, id) => methods.update(project, id, { ...ground, sort_order: 1 }), { version: 2 }],
    [
      'change of codes',
      (project, id) => methods.update(project, id, { ...ground, method_code: '02' }),
      { version: 2 },
    ],
    ['remove', (project, id) => methods.remove(project, id), { total: 0 }],
    [
      'event',
      (projectId) => events.record({ projectId, orderId: 'o', type: 'order.placed' }),
      { recorded: 1 },
    ],
  ])('makes the outcome unknown, and the change is not made again: %s', async (_name, change, found) => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    const told: unknown[] = [];
    const subscription = methods.changes.subscribe((one) => told.push(one));

    const changes = await losingAnAnswer(() =>
      expect(change(project, id)).rejects.toMatchObject({ code: 'outcome_unknown' }),
    );
    subscription.unsubscribe();

    const { data, meta } = await methods.list(project);
    const recorded = (await events.list(project, 'o')).length;
    expect({ ...data[0], ...meta, recorded }).toMatchObject(found);
    expect([changes, told]).toEqual([1, []]);
  });
});
