import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  OrderEventsService,
  shippingEntities,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { OutboxEntry, writeChange, writeEvent } from '../../../examples/nest11-express-mariadb/src/outbox.js';
import { CreateOutbox } from '../../../examples/nest11-express-mariadb/src/create-outbox.js';

// A host with an outbox. It changes methods and records events until it is killed, and prints a line for each round of
// committed calls.

const url = process.env['DATABASE_URL'] ?? '';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: url.split(':')[0] as 'postgres' | 'mariadb' | 'mysql',
      url,
      entities: [...shippingEntities, OutboxEntry],
      migrations: [...shippingMigrations, CreateOutbox],
      migrationsRun: true,
    }),
    ShippingModule.forRoot({ http: false, beforeCommit: { change: writeChange, event: writeEvent } }),
  ],
})
class OutboxShop {}

const context = await NestFactory.createApplicationContext(OutboxShop, { logger: ['error'] });
const methods = context.get(ShippingMethodsService);
const events = context.get(OrderEventsService);
const label = { carrier_code: 'ups', method_label: 'UPS' };

async function write(writer: number): Promise<void> {
  const run = `${process.pid}-${writer}`;
  for (let n = 0; ; n++) {
    const many = Array.from({ length: 5 }, (_, index) => ({ ...label, method_code: `${run}-${index}` }));
    const requests = many.map((method) => ({ ...method, sort_order: n }));
    await methods.upsertMany(`p${writer}`, requests, { removeOthers: n % 2 === 0 });
    await methods.upsert(`p${writer}`, { ...label, method_code: `${run}-one`, sort_order: n });
    // Every second one is a repeat, which is no new event.
    const dedupeKey = `${run}-${Math.floor(n / 2)}`;
    await events.record(
      { projectId: `p${writer}`, orderId: run },
      { type: 'order.note_added', dedupe_key: dedupeKey },
    );
    console.log('written');
  }
}

await Promise.all([0, 1, 2, 3].map((writer) => write(writer)));
