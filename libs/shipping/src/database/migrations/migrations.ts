import { type MigrationInterface } from 'typeorm';
import { CreateShipping } from './1763683200000-create-shipping.js';

/** Our migrations, in order. Add them to your DataSource: `migrations: [...shippingMigrations, ...yours]`. */
export const shippingMigrations: (new () => MigrationInterface & { name: string })[] = [CreateShipping];
