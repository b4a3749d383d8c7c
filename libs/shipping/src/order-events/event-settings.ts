import { type EntityManager } from 'typeorm';
import { type OrderEventDto } from './dto/order-event.dto.js';

/** The module's options about events. `ShippingModuleOptions` explains them. */
export abstract class EventSettings {
  abstract readonly onEvent: ((event: OrderEventDto, manager: EntityManager) => Promise<void>) | undefined;
}
