// One DataSource for the application and the TypeORM CLI.
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CreateShopOrder } from './create-shop-order.js';
import { ShopOrder } from './shop-order.entity.js';

export const options: DataSourceOptions = {
  type: 'mariadb',
  url: process.env['DATABASE_URL'],
  charset: 'utf8mb4',
  timezone: 'Z',
  entities: [...shippingEntities, ShopOrder],
  migrations: [...shippingMigrations, CreateShopOrder],
};

export const dataSource = new DataSource(options);
