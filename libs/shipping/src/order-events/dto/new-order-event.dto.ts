import { Allow } from 'class-validator';
import { type JsonObjectInput } from '../../validation/json-object.js';
import { Content, Required, Text, Time } from '../../validation/rules.js';
import { type OrderEventData, type OrderEventType } from '../order-event-types.js';
import { eventLengths, type OrderEventActor } from './order-event.dto.js';

export const eventTypePattern = /^[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+$/;

/** The person or the program that caused a new event. */
export interface NewOrderEventActor extends Pick<OrderEventActor, 'type'> {
  /** The id of the actor in your application, at most 64 characters. */
  readonly id?: string | null | undefined;
  /** A name to show, at most 255 characters. */
  readonly label?: string | null | undefined;
}

/** The fields of {@link NewOrderEvent}, with their rules. */
export class NewOrderEventFields<Type extends OrderEventType, Data extends object> {
  /** A type of the form `noun.verb`, at most 64 characters. `orderEventTypes` lists the known types. */
  @Required()
  @Text(eventLengths.type)
  @Content(
    eventLengths.type,
    (text) => eventTypePattern.test(text),
    `must be like "order.placed": ${eventTypePattern.source}.`,
  )
  type!: Type;

  /**
   * A text for people, at most 4,000 characters. Line breaks stay as they are.
   * @default null
   */
  @Text(eventLengths.message)
  message?: string | null | undefined;

  /**
   * Data of your application: at most 16 KiB of JSON, 8 levels deep. Members that are undefined are left out, and a Date
   * is stored as its ISO text. {@link OrderEventData} gives it a type.
   * @default {}
   */
  @Allow()
  data?: EventDataInput<Type, Data> | null | undefined;

  /**
   * The person or the system that caused the event.
   * @default null
   */
  @Allow()
  actor?: NewOrderEventActor | null | undefined;

  /** The time of the event: a Date or an RFC 3339 time with an offset. By default, it is the time of the database. */
  @Time()
  occurred_at?: Date | string | null | undefined;

  /**
   * Makes `record()` idempotent: a second call with the same key returns the first event. Unique in its order, 1 to 128
   * characters.
   */
  @Text(eventLengths.dedupeKey, 1)
  dedupe_key?: string | null | undefined;
}

type EventDataInput<Type extends OrderEventType, Data extends object> = [Type] extends [keyof OrderEventData]
  ? OrderEventData[Type]
  : JsonObjectInput<Data>;

/** `data` must be there if its type in {@link OrderEventData} has a required member. */
type RequiredData<Type extends OrderEventType> = [Type] extends [keyof OrderEventData]
  ? object extends OrderEventData[Type]
    ? { data?: unknown }
    : { data: OrderEventData[Type] }
  : { data?: unknown };

/** A stored event has an id. So `{ ...event }` is no new event. */
interface NotStored {
  /** Only a stored event has an id. A new event must not have one. */
  readonly id?: never;
}

/**
 * An event to append to the history of an order.
 * @typeParam Type the type of the event, such as `'order.paid'`
 * @typeParam Data the type of `data`, while {@link OrderEventData} does not name the type of the event
 */
export type NewOrderEvent<
  Type extends OrderEventType = OrderEventType,
  Data extends object = object,
> = NewOrderEventFields<Type, Data> & RequiredData<Type> & NotStored;
