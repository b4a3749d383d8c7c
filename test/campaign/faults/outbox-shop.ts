import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { OutboxEntry, writeChange } from '../../../examples/nest11-express-mariadb/src/outbox.js';
import { CreateOutbox } from '../../../examples/nest11-express-mariadb/src/create-outbox.js';

// A host with an outbox. It imports and changes methods until it is killed, and prints a line for each committed call.

const url = process.env['DATABASE_URL'] ?? '';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: url.startsWith('mariadb') ? 'mariadb' : 'postgres',
      url,
      entities: [...shippingEntities, OutboxEntry],
      migrations: [...shippingMigrations, CreateOutbox],
      migrationsRun: true,
    }),
    ShippingModule.forRoot({ http: false, onChange: writeChange }),
  ],
})
class OutboxShop {}

const context = await NestFactory.createApplicationContext(OutboxShop, { logger: ['error'] });
const methods = context.get(ShippingMethods);
const label = { carrier_code: 'ups', method_label: 'UPS' };

async function write(writer: number): Promise<void> {
  const run = `${process.pid}-${writer}`;
  for (let n = 0; ; n++) {
    const many = Array.from({ length: 5 }, (_, index) => ({ ...label, method_code: `${run}-${index}` }));
    const requests = many.map((method) => ({ ...method, sort_order: n }));
    await methods.upsertMany(`p${writer}`, requests, { removeOthers: n % 2 === 0 });
    await methods.upsert(`p${writer}`, { ...label, method_code: `${run}-one`, sort_order: n });
    console.log('written');
  }
}

await Promise.all([0, 1, 2, 3].map((writer) => write(writer)));
