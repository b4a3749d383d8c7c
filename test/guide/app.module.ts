import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';

/** In a constant, so that tests can put another database in its place. */
export const database = TypeOrmModule.forRoot({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  autoLoadEntities: true,
  migrations: shippingMigrations,
  migrationsRun: true,
});

@Module({ imports: [database, ShippingModule.forRoot({ isGlobal: true })] })
export class AppModule {}
