import { TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { openDatabase } from './hardening/open-database.js';
import { CreateShopOrder } from './shop/1763683300000-create-shop-order.js';
import { ShopOrder } from './shop/shop-order.entity.js';

/** Our tables, and the one of this application. */
export const schema = {
  entities: [...shippingEntities, ShopOrder],
  migrations: [...shippingMigrations, CreateShopOrder],
};

/**
 * The database at DATABASE_URL, or an embedded PostgreSQL. In a constant, so that tests can put another one in its
 * place.
 */
export const database = TypeOrmModule.forRootAsync({
  useFactory: () => ({ toRetry: () => false }),
  dataSourceFactory: () => openDatabase(schema),
});
