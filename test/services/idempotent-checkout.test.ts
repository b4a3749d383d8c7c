import { randomUUID } from 'node:crypto';
import { OrderEventsService, shippingEntities, ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Checkout, CheckoutModule, PlacedOrder } from '../guide/checkout.js';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { anyStatement } from '../support/statements.js';
import { oneAfterAnother } from '../support/transactions.js';

const choice = { carrier_code: 'ups', method_code: '03' };

// docs/guide/checkout.md shows this code. It is tested here, on every engine.
describe('a checkout whose client sends a key', () => {
  let database: TestDatabase;
  let apps: TestApp[];
  let project: string;
  let key: string;
  const start = async (): Promise<TestApp> => {
    const another = await database.another();
    // SQLite has one connection. The guide says that transactions on it come one after another.
    if (another.options.type === 'better-sqlite3') oneAfterAnother(another.dataSource);
    return testApp({ database: another, imports: [CheckoutModule] });
  };
  beforeAll(async () => {
    database = await testDatabase({ entities: [...shippingEntities, PlacedOrder] });
    await database.dataSource.synchronize();
    apps = [await start(), await start()];
  });
  afterAll(async () => {
    for (const app of apps ?? []) await app.close();
    await database?.close();
  });
  beforeEach(async () => {
    project = freshProject();
    key = randomUUID();
    await methods().create(project, ground);
  });

  const methods = (): ShippingMethodsService => {
    const [app] = apps;
    if (!app) throw new Error('There are two instances.');
    return app.nest.get(ShippingMethodsService);
  };
  const place = async (app: TestApp | undefined, chosen: object = choice): Promise<[number, unknown]> => {
    const response = await fetch(`${app?.origin}/shops/${project}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(chosen),
    });
    return [response.status, await response.json()];
  };
  /** The orders of the project, with the types of their events. */
  const stored = async (): Promise<unknown[]> => {
    const orders = await database.dataSource.manager.findBy(PlacedOrder, { projectId: project });
    const events = apps[0]?.nest.get(OrderEventsService);
    return Promise.all(
      orders.map(async ({ number, orderId }) => ({
        number,
        types: (await events?.findAll({ projectId: project, orderId }))?.map(({ type }) => type),
      })),
    );
  };

  it('places one order for 8 parallel repeats on two instances', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => place(apps[n % 2])));

    const [first] = responses;
    expect(first).toEqual([201, { number: expect.any(Number), method: 'UPS Ground' }]);
    for (const response of responses) expect(response).toEqual(first);
    const { number } = Object(first?.[1]) as { number: number };
    expect(await stored()).toEqual([{ number, types: ['order.placed'] }]);
  });

  it('responds to a late repeat with the first response, though the method has changed', async () => {
    const first = await place(apps[0]);
    const method = await methods().findByCodes(project, { carrier_code: 'ups', method_code: '03' });
    await methods().update(project, method?.id ?? '', {
      ...ground,
      method_label: 'New name',
      is_active: false,
    });
    const later = await start();
    apps.push(later);

    const repeat = await place(later);

    expect(repeat).toEqual(first);
    expect(await stored()).toHaveLength(1);
  });

  it('refuses the method for each of 60 parallel repeats, and keeps the key free', async () => {
    const unknown = { ...choice, method_code: 'none' };
    const refused = await Promise.all(Array.from({ length: 60 }, (_, n) => place(apps[n % 2], unknown)));
    const placed = await place(apps[0]);

    expect(refused.map(([status]) => status)).toEqual(Array(60).fill(409));
    expect(placed).toMatchObject([201, { method: 'UPS Ground' }]);
    expect(await stored()).toHaveLength(1);
  });

  it('places another order for another key', async () => {
    await place(apps[0]);
    key = randomUUID();
    await place(apps[1]);

    expect(await stored()).toHaveLength(2);
  });

  onlyWhere('severalConnections', () => {
    it('keeps the method active until the order is stored', async () => {
      const [app] = apps;
      if (!app) throw new Error('There are two instances.');
      const method = await methods().findByCodes(project, { carrier_code: 'ups', method_code: '03' });
      const event = [
        { projectId: project, orderId: 'o' },
        { type: 'order.placed', dedupe_key: 'placed' },
      ] as const;
      const runner = app.database.dataSource.createQueryRunner();
      await runner.startTransaction();
      await app.nest.get(OrderEventsService).record(...event, { manager: runner.manager });

      // The checkout finds the method, and waits for its key.
      const placing = app.nest.get(Checkout).place(project, 'o', choice);
      await engine.someoneWaitsFor(runner.manager);
      const logged: string[] = [];
      const changing = methods()
        .update(project, method?.id ?? '', { ...ground, is_active: false })
        .then(() => logged.push('change'));
      // A change that does not wait is done long before.
      for (let tries = 0; tries < 100; tries++) await anyStatement(runner.manager);
      logged.push('order');
      await runner.rollbackTransaction();
      await runner.release();

      expect(await placing).toMatchObject({ methodLabel: 'UPS Ground' });
      await changing;
      expect(logged).toEqual(['order', 'change']);
    });

    it('gives all repeats the same response while the method is deactivated', async () => {
      const method = await methods().findByCodes(project, { carrier_code: 'ups', method_code: '03' });
      const deactivation = { ...ground, is_active: false };

      const [responses] = await Promise.all([
        Promise.all(Array.from({ length: 60 }, (_, n) => place(apps[n % 2]))),
        methods().update(project, method?.id ?? '', deactivation),
      ]);

      const [first] = responses;
      for (const response of responses) expect(response).toEqual(first);
      expect(await stored()).toHaveLength(first?.[0] === 201 ? 1 : 0);
    });

    it('places orders of 40 racing keys, each once', async () => {
      const keys = Array.from({ length: 40 }, () => randomUUID());

      const responses = await Promise.all(
        [...keys, ...keys].map((each, n) => {
          key = each;
          return place(apps[n % 2]);
        }),
      );

      expect(responses.filter(([status]) => status !== 201)).toEqual([]);
      expect(await stored()).toHaveLength(40);
    });
  });
});
