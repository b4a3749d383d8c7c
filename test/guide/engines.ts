import { type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { shippingMigrations } from 'nestjs-shipping/migrations';

// What differs from PostgreSQL in the options of a DataSource.

export const onMariadb = {
  type: 'mysql',
  url: process.env.DATABASE_URL,
  charset: 'utf8mb4',
  timezone: 'Z',
  autoLoadEntities: true,
  migrations: shippingMigrations,
  migrationsRun: true,
} satisfies TypeOrmModuleOptions;

export const onSqlite = {
  type: 'better-sqlite3',
  database: 'shop.db',
  enableWAL: true,
  autoLoadEntities: true,
  migrations: shippingMigrations,
  migrationsRun: true,
} satisfies TypeOrmModuleOptions;
