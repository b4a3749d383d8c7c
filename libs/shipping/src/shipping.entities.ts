import { ShippingProject } from './shipping-methods/shipping-project.entity.js';
import { OrderEvent } from './order-events/order-event.entity.js';
import { ShippingMethod } from './shipping-methods/shipping-method.entity.js';

/** What the host's DataSource must know; `autoLoadEntities: true` finds them by itself. */
export const shippingEntities = [ShippingMethod, ShippingProject, OrderEvent];
