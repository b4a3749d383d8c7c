import { type JsonObject } from '../../validation/json-object.js';
import { OneOf, Required, Text } from '../../validation/rules.js';
import {
  type NamedOrderEventType,
  type OrderEventData,
  type OrderEventType,
  type TypeOfEvent,
} from '../order-event-types.js';

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
  /**
   * `user`: a person of your staff. `customer`: a customer. `app`: another program, such as an import. `system`: your
   * application itself.
   */
  @Required()
  @OneOf(actorTypes)
  readonly type!: (typeof actorTypes)[number];

  /** The id of the actor in your application, at most 64 characters. */
  @Text(eventLengths.actorId)
  readonly id!: string | null;

  /** A name to show, at most 255 characters. */
  @Text(eventLengths.actorLabel)
  readonly label!: string | null;
}

/** An event with this type and these data. {@link OrderEventDto} is a union of such events. */
export interface TypedOrderEvent<Type extends string, Data> {
  /** UUIDv7; opaque to clients. */
  readonly id: string;
  /** The `projectId` of the order. */
  readonly project_id: string;
  /** The `orderId` of the order. */
  readonly order_id: string;
  /** One of `orderEventTypes`, or another type of the same form. */
  readonly type: Type;
  /** A text for people. */
  readonly message: string | null;
  /** The data of the event: {@link OrderEventData}. After `redactHistory()` it is `{}`, so members may be absent. */
  readonly data: Data;
  /** The person or the system that caused the event. Null if nobody has said it. */
  readonly actor: OrderEventActor | null;
  /** The time of the event, as the caller of `record` gave it: ISO 8601, UTC, milliseconds. */
  readonly occurred_at: string;
  /** The time at which it was stored, by the clock of the database. */
  readonly recorded_at: string;
}

type EventOfType<Type extends string> =
  | (Type extends keyof OrderEventData ? TypedOrderEvent<Type, OrderEventData[Type]> : never)
  | ([Exclude<Type, keyof OrderEventData>] extends [never]
      ? never
      : TypedOrderEvent<Exclude<Type, keyof OrderEventData>, JsonObject>);

/**
 * An event as clients and your own modules read it. `OrderEventDto<'order.paid'>` is an event of this type. A reader
 * must expect types that it does not know.
 */
export type OrderEventDto<Type extends OrderEventType = OrderEventType> = keyof OrderEventData extends never
  ? TypedOrderEvent<Type, JsonObject>
  : EventOfType<TypeOfEvent<Type>>;

/**
 * An event as `record()` returns it. `repeated: true` means that the order had an event with this `dedupe_key` already.
 * Then this is that event, whatever its type is, and nothing was written.
 */
export type RecordedOrderEvent<Type extends OrderEventType = OrderEventType> =
  (OrderEventDto<Type> & { readonly repeated: false }) | (OrderEventDto & { readonly repeated: true });

/**
 * Returns whether an event is of this type, and gives `data` its type of {@link OrderEventData}.
 * @example
 * const paid = history.find((event) => isOrderEvent(event, 'order.paid'));
 */
export function isOrderEvent<Event extends OrderEventDto, Type extends NamedOrderEventType>(
  event: Event,
  type: Type,
): event is Event & OrderEventDto<Type> {
  return event.type === type;
}
