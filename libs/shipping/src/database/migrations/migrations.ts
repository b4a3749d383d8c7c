import { type MigrationInterface } from 'typeorm';
import { CreateShipping } from './1763683200000-create-shipping.js';

/**
 * Our migrations, in order. Add them to those of your DataSource.
 * @example
 * const dataSource = new DataSource({ type: 'postgres', migrations: [...shippingMigrations, CreateShopOrder] });
 */
export const shippingMigrations: (new () => MigrationInterface & { name: string })[] = [CreateShipping];
