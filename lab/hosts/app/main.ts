import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { OrderEventsService } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
  await app.listen(0, '127.0.0.1');
  const target = { origin: await app.getUrl(), orderEvents: app.get(OrderEventsService) };
  for (const { title, run } of shippingContract(() => target)) {
    await run();
    console.log(`✓ ${title}`);
  }
  const dataSource = app.get(DataSource);
  await expectNoSchemaDrift(dataSource);
  for (const _ of shippingMigrations) await dataSource.undoLastMigration();
  console.log('✓ no schema drift, and down again');
  await app.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
