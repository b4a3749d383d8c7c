import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { type Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { CreateShopOrder } from './shop/1763683300000-create-shop-order.js';
import { ShopOrder } from './shop/shop-order.entity.js';

/** The tables of nestjs-shipping, and the one of this application. */
export const schema = {
  entities: [...shippingEntities, ShopOrder],
  migrations: [...shippingMigrations, CreateShopOrder],
};

/** In a constant, so that tests can put another database in its place. */
export const database = TypeOrmModule.forRootAsync({
  useFactory: () => ({ ...connection(process.env), ...schema, migrationsRun: true }),
  dataSourceFactory: async (options) => {
    const dataSource = await new DataSource(options as DataSourceOptions).initialize();
    if (dataSource.options.type === 'postgres') surviveEndedConnections(dataSource);
    return dataSource;
  },
});

/**
 * Without this listener, the process ends if PostgreSQL ends a connection just as `pg` opens it. docs/operations.md has the
 * reason.
 */
function surviveEndedConnections({ driver }: DataSource): void {
  const pool = (driver as PostgresDriver).master as Pool;
  pool.on('connect', (client) => client.on('error', () => undefined));
}

/** The server at DATABASE_URL, or a PostgreSQL inside this process, whose files are in the folder DATA_DIR. */
export function connection({
  DATABASE_URL: url,
  DATA_DIR: folder,
}: Readonly<Record<string, string | undefined>>): TypeOrmModuleOptions {
  // The embedded database has one connection.
  if (!url) return { type: 'postgres', extra: createPgConfig(folder || '.data'), poolSize: 1 };
  if (url.startsWith('postgres')) return { type: 'postgres', url };
  const type = url.startsWith('mysql:') ? 'mysql' : 'mariadb';
  return { type, url, charset: 'utf8mb4', timezone: 'Z' };
}
