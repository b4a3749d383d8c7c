import { type JsonObject } from '../../validation/json-object.js';
import { OneOf, Required, Text } from '../../validation/rules.js';
import { type OrderEventType } from '../order-event-types.js';

export const actorTypes = ['user', 'customer', 'app', 'system'] as const;

/** The greatest lengths, in code points. */
export const eventLengths = {
  type: 64,
  message: 4000,
  actorId: 64,
  actorLabel: 255,
  dedupeKey: 128,
} as const;

/** The person or the program that caused an event. */
export class OrderEventActor {
  @Required()
  @OneOf(actorTypes)
  type!: (typeof actorTypes)[number];

  /** The id of the actor in the host, at most 64 characters. */
  @Text(eventLengths.actorId)
  id!: string | null;

  /** A name to show, at most 255 characters. */
  @Text(eventLengths.actorLabel)
  label!: string | null;
}

/** An event as clients and your own modules read it. */
export interface OrderEventDto {
  /** UUIDv7; opaque to clients. */
  id: string;
  project_id: string;
  order_id: string;
  /** One of `orderEventTypes`, or another type of the same form. */
  type: OrderEventType;
  message: string | null;
  data: JsonObject;
  actor: OrderEventActor | null;
  /** The time of the event, as the caller of `record` gave it: ISO 8601, UTC, milliseconds. */
  occurred_at: string;
  /** The time at which it was stored, by the clock of the database. */
  recorded_at: string;
}

/** An event as `record()` returns it. */
export interface RecordedOrderEvent extends OrderEventDto {
  /**
   * Whether the order had an event with this `dedupe_key` already. If so, this is that event, and nothing was written.
   */
  repeated: boolean;
}
