import { type EntityManager } from 'typeorm';
import { type OrderEventDto } from './dto/order-event.dto.js';

/** Code of the host that runs for each new event, before the COMMIT. */
export type EventHook = (event: OrderEventDto, manager: EntityManager) => unknown;

/** The options of the module that this feature needs, after the defaults are filled in. */
export abstract class EventSettings {
  abstract beforeCommit: { event?: EventHook | undefined };
}
