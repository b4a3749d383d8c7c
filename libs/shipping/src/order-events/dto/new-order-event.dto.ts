import { Allow } from 'class-validator';
import { Content, Required, Text, Time } from '../../validation/rules.js';
import { type OrderEventType } from '../order-event-types.js';
import { eventLengths, type OrderEventActor } from './order-event.dto.js';

export const eventTypePattern = /^[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+$/;

/** An event to append to the history of an order. */
export class NewOrderEvent {
  /** A type of the form `noun.verb`, at most 64 characters. `orderEventTypes` lists the known types. */
  @Required()
  @Text(eventLengths.type)
  @Content(
    eventLengths.type,
    (text) => eventTypePattern.test(text),
    `must be like "order.placed": ${eventTypePattern.source}.`,
  )
  type!: OrderEventType;

  /** At most 4,000 characters. Line breaks stay as they are. */
  @Text(eventLengths.message)
  message?: string | null;

  /** At most 16 KiB of JSON, 8 levels deep. `checkOrderEvent` checks it. */
  @Allow()
  data?: object | null;

  @Allow()
  actor?: (Pick<OrderEventActor, 'type'> & Partial<OrderEventActor>) | null;

  /** The time of the event: a Date or an RFC 3339 time with an offset. The default is the time of the database. */
  @Time()
  occurred_at?: Date | string | null;

  /** Unique in its order, 1 to 128 characters. A second `record()` with the same key returns the first event. */
  @Text(eventLengths.dedupeKey, 1)
  dedupe_key?: string | null;
}
