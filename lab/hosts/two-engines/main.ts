// One application with PostgreSQL, migrated, and MariaDB, synchronized, each with a mount of its own.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { OrderEvent } from 'nestjs-shipping';
import { expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import { type DataSource } from 'typeorm';
import { AppModule, Shop, Warehouse } from './app.module.js';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
  await app.listen(0, '127.0.0.1');
  const origin = await app.getUrl();
  const mounts = [
    {
      dataSource: app.get<DataSource>(getDataSourceToken()),
      path: 'api/projects/:project_id/sales/orders',
      events: app.get(Shop).events,
    },
    {
      dataSource: app.get<DataSource>(getDataSourceToken('warehouse')),
      path: 'warehouse/:project_id',
      events: app.get(Warehouse).events,
    },
  ];
  for (const { dataSource, path, events } of mounts) {
    console.log(dataSource.options.type);
    for (const { title, run } of shippingContract(() => ({ origin, path, orderEvents: events }))) {
      await run();
      console.log(`✓ ${title}`);
    }
    await expectNoSchemaDrift(dataSource);
    console.log('✓ no schema drift');
  }

  for (const { dataSource, events } of mounts)
    await events.record({ projectId: 'acme', orderId: dataSource.options.type }, { type: 'order.placed' });

  for (const { dataSource } of mounts) {
    const stored = await dataSource.getRepository(OrderEvent).findBy({ projectId: 'acme' });
    assert.deepEqual(
      stored.map(({ orderId }) => orderId),
      [dataSource.options.type],
    );
  }
  console.log('✓ each mount stores in its own database');
  await app.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
