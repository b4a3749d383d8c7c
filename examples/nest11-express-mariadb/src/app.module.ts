import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { options } from './database';
import { OrdersModule } from './orders/orders.module';
import { writeChange, writeEvent } from './outbox';

/** A constant, so that a test can put another database in its place. */
export const database: DynamicModule = TypeOrmModule.forRoot({ ...options, migrationsRun: true });

@Module({
  imports: [
    database,
    ShippingModule.forRoot({ isGlobal: true, beforeCommit: { change: writeChange, event: writeEvent } }),
    OrdersModule,
  ],
})
export class AppModule {}
