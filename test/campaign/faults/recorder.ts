import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  type OrderEventDto,
  OrderEvents,
  type ShippingMethodDto,
  ShippingMethods,
  ShippingModule,
} from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';

// One instance of a host, whose clock may differ. For each line with an order id it records an event, creates a method,
// and prints both with the time of its clock. For `?id` it prints the history of the order.

export interface Recorded {
  /** In milliseconds since 1970. */
  clock: number;
  event: OrderEventDto;
  method: ShippingMethodDto;
}

const url = process.env['DATABASE_URL'] ?? '';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: url.startsWith('mariadb') ? 'mariadb' : 'postgres',
      url,
      autoLoadEntities: true,
      migrations: shippingMigrations,
      migrationsRun: true,
    }),
    ShippingModule.forRoot({ http: false }),
  ],
})
class RecorderModule {}

const context = await NestFactory.createApplicationContext(RecorderModule, { logger: ['error'] });
const events = context.get(OrderEvents);
const methods = context.get(ShippingMethods);
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(line.startsWith('?') ? await history(line.slice(1)) : await recorded(line)));
}
await context.close();

function history(orderId: string): Promise<OrderEventDto[]> {
  return events.list('skewed', orderId);
}

async function recorded(orderId: string): Promise<Recorded> {
  const code = `m${Math.random()}`;
  const event = await events.record({ projectId: 'skewed', orderId, type: 'order.note' });
  const method = await methods.create('skewed', {
    carrier_code: 'ups',
    method_code: code,
    method_label: code,
  });
  return { clock: Date.now(), event, method };
}
