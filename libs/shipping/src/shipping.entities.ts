import { ShippingProject } from './shipping-methods/shipping-project.entity.js';
import { OrderEvent } from './order-events/order-event.entity.js';
import { ShippingMethod } from './shipping-methods/shipping-method.entity.js';

/** The entities that your DataSource must have. `autoLoadEntities: true` adds them. */
export const shippingEntities = [ShippingMethod, ShippingProject, OrderEvent];
