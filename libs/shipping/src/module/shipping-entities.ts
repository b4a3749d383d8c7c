import { OrderEvent } from '../order-events/order-event.table.js';
import { ShippingMethod } from '../shipping-methods/shipping-method.table.js';
import { ShippingProject } from '../shipping-methods/shipping-project.table.js';

// Hosts load entities by globs such as `**/*.entity.js`, which also reach into node_modules. Both builds would then
// define each table twice. So our entity files are named `*.table.ts`, and no file that exports entities, such as this
// one, ends with `.entity.ts` (decision 14).

/**
 * The entities that your DataSource must have. With `autoLoadEntities: true`, `TypeOrmModule` adds them by itself.
 * @example
 * const dataSource = new DataSource({ type: 'postgres', entities: [...shippingEntities, ShopOrder] });
 */
export const shippingEntities = [ShippingMethod, ShippingProject, OrderEvent];
