// The application, its tests and the TypeORM CLI use the same options.
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { type TestTypeOrmModuleOptions } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { CreateOutbox } from './create-outbox';
import { CreateShopOrder } from './orders/create-shop-order';
import { ShopOrder } from './orders/shop-order.entity';
import { OutboxEntry } from './outbox';

export const options = {
  type: 'mariadb',
  url: process.env['DATABASE_URL'] ?? 'mariadb://root@127.0.0.1:3306/shop',
  charset: 'utf8mb4',
  timezone: 'Z',
  entities: [...shippingEntities, ShopOrder, OutboxEntry],
  migrations: [...shippingMigrations, CreateShopOrder, CreateOutbox],
} satisfies TestTypeOrmModuleOptions;

export const dataSource = new DataSource(options);
