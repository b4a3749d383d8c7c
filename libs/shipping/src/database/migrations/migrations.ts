import { CreateShipping } from './1763683200000-create-shipping.js';

/** In order; add them to the host's DataSource: `migrations: [...shippingMigrations, ...yours]`. */
export const shippingMigrations = [CreateShipping];
