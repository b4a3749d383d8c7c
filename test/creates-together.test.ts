import { type ShippingMethodChange, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from './support/app.js';
import { Client, freshProject } from './support/client.js';
import { serverUrl } from './support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('creates that come together', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());

  it('are each answered by themselves, counted, and told of once', async () => {
    const shops = Array.from({ length: 5 }, () => new Client(app.origin, freshProject()));
    const changes: ShippingMethodChange[] = [];
    const listening = methods.changes.subscribe((change) => changes.push(change));

    const answers = await Promise.all(
      Array.from({ length: 250 }, async (_, n) => {
        // Of each pair there are two; every fifth follows a default.
        const method = { ...ground, method_code: `m${n % 125}`, sort_order: n, use_default: n % 25 === 0 };
        return { n, answer: await shops[n % 5]?.create(method) };
      }),
    );
    listening.unsubscribe();

    const created = answers.filter(({ answer }) => answer?.status === 201);
    const refused = answers.filter(({ answer }) => answer?.status === 409);
    expect([created.length, refused.length]).toEqual([125, 125]);
    for (const { n, answer } of created) expect(answer?.body).toMatchObject({ sort_order: n, version: 1 });
    expect(new Set(refused.map(({ answer }) => answer?.body['existing_id']))).toEqual(
      new Set(created.map(({ answer }) => answer?.body.id)),
    );
    expect(changes.map(({ after }) => after?.id).toSorted()).toEqual(
      created.map(({ answer }) => answer?.body.id).toSorted(),
    );
    for (const shop of shops) expect((await shop.list()).body.meta.total).toBe(25);
  });

  it('do not share the error that one of them meets in a trigger of the host', async () => {
    const { dataSource, table } = app.database;
    const shop = new Client(app.origin, freshProject());
    await shop.create(ground);
    await dataSource.query(
      `CREATE FUNCTION ${table('refuse')}() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF NEW.carrier_code = 'cursed' THEN RAISE 'cursed'; END IF; RETURN NEW; END $$`,
    );
    await dataSource.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON ${table('shipping_method')}
         FOR EACH ROW EXECUTE FUNCTION ${table('refuse')}()`,
    );

    const settled = await Promise.allSettled(
      ['dhl', 'cursed', 'gls'].map((carrier_code) =>
        methods.create(shop.project, { ...ground, carrier_code }),
      ),
    );

    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await shop.list()).body.meta.total).toBe(3);
    await dataSource.query(`DROP TRIGGER refuse ON ${table('shipping_method')}`);
  });

  // The embedded database has one connection, which the transaction holds.
  it.skipIf(!serverUrl)(
    'do not wait for the lock of another project; those that must wait come in after it',
    async () => {
      const [locked, free] = [freshProject(), freshProject()];
      for (const project of [locked, free]) await methods.create(project, ground);
      let late: Promise<unknown> | undefined;

      await app.database.dataSource.transaction(async (manager) => {
        await methods.create(locked, { ...ground, method_code: 'in-transaction' }, { manager });
        late = methods.create(locked, { ...ground, method_code: 'late' });
        await methods.create(free, { ...ground, method_code: 'at once' });
      });
      await late;

      expect((await methods.list(locked)).meta.total).toBe(3);
      expect((await methods.list(free)).meta.total).toBe(2);
    },
  );
});
