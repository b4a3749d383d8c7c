import { type MigrationInterface } from 'typeorm';
import { CreateShipping } from './1763683200000-create-shipping.js';
import { DropEventTypeIndex } from './1795478400000-drop-event-type-index.js';

/** Our migrations, in order. Add them to your DataSource: `migrations: [...shippingMigrations, ...yours]`. */
export const shippingMigrations: (new () => MigrationInterface & { name: string })[] = [
  CreateShipping,
  DropEventTypeIndex,
];
