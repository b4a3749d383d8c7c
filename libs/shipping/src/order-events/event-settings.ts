import { type EntityManager } from 'typeorm';
import { type OrderEventDto } from './dto/order-event.dto.js';

/** Code of the host that runs for each new event, before the COMMIT. */
export type EventHook = (event: OrderEventDto, manager: EntityManager) => unknown;

/** What this feature needs of the options of the module. */
export abstract class EventSettings {
  abstract beforeCommit: { event?: EventHook | undefined };
}
