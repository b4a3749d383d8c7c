import { type TestingModule } from '@nestjs/testing';
import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening } from '../embedding/host.js';
import { Client } from '../support/client.js';
import { OrderNumber, OrderNumbers } from './order-numbers.js';

// docs/recipes/order-numbers.md shows this code.

class CreateOrderNumber implements MigrationInterface {
  name = 'CreateOrderNumber1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE order_number (project_id varchar(64) PRIMARY KEY, last integer NOT NULL)',
    );
  }

  async down(): Promise<void> {}
}

describe('numbers of orders', () => {
  let testing: TestingModule;
  let host: Host;
  let dataSource: DataSource;
  let events: OrderEventsService;
  let numbers: OrderNumbers;
  beforeAll(async () => {
    const typeOrm = embeddedTypeOrmModule({ entities: [OrderNumber], migrations: [CreateOrderNumber] });
    testing = await compiled([typeOrm, ShippingModule.forRoot({ isGlobal: true })], {
      providers: [OrderNumbers],
    });
    host = await listening(testing);
    dataSource = testing.get(DataSource);
    events = testing.get(OrderEventsService);
    numbers = testing.get(OrderNumbers);
    await dataSource.manager.insert(OrderNumber, { projectId: 'acme', last: 1000 });
  });
  afterAll(() => host?.app.close());

  const place = (projectId: string): Promise<string> =>
    dataSource.transaction(async (manager) => {
      const orderId = await numbers.next(projectId, manager);
      // Here you store your order.
      await events.record(
        { projectId, orderId },
        { type: 'order.placed', dedupe_key: 'placed' },
        { manager },
      );
      return orderId;
    });

  it('have no gap and no number twice, also after an order that was not stored', async () => {
    const first = await place('acme');
    const failed = dataSource.transaction(async (manager) => {
      await numbers.next('acme', manager);
      throw new Error('The payment was refused.');
    });
    await expect(failed).rejects.toThrow('The payment was refused.');
    const others = await Promise.all([place('acme'), place('acme'), place('acme')]);

    expect([first, ...others.toSorted()]).toEqual(['1001', '1002', '1003', '1004']);
  });

  it('are ids without the #, which no route accepts', async () => {
    const shop = new Client(host.origin, 'acme');

    const typed = await shop.events(encodeURIComponent('#1001'));
    const found = await shop.events('1001');

    expect([typed.status, found.status]).toEqual([400, 200]);
    expect(found.body.data).toMatchObject([{ type: 'order.placed' }]);
  });
});
