import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { CheckoutController } from './checkout.controller';

/** A constant, so that a test can put another database in its place. */
export const database: DynamicModule = TypeOrmModule.forRoot({
  type: 'better-sqlite3',
  database: 'shop.sqlite',
  enableWAL: true,
  autoLoadEntities: true,
  migrations: shippingMigrations,
  migrationsRun: true,
});

@Module({
  imports: [database, ShippingModule.forRoot({ isGlobal: true })],
  controllers: [CheckoutController],
})
export class AppModule {}
