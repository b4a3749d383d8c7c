/**
 * The known types of order events, each `noun.verb`. They cover the histories of ten commerce systems.
 * The list is open: record any other type of the same form, and expect others when reading.
 *
 * There is no type for a partial event. Put `partial: true` into `data`. A request and its completion are two events.
 */
export const orderEventTypes = [
  'order.drafted',
  'order.placed',
  'order.confirmed',
  'order.edited',
  'item.changed',
  'discount.changed',
  'address.changed',
  'shipping.selected',
  'order.transitioned',
  'order.cancelled',
  'order.reopened',
  'order.completed',
  'order.archived',
  'order.paid',
  'payment.requested',
  'payment.authorized',
  'payment.captured',
  'payment.failed',
  'payment.voided',
  'payment.updated',
  'refund.requested',
  'refund.completed',
  'refund.failed',
  'shipment.created',
  'shipment.dispatched',
  'shipment.updated',
  'shipment.delivered',
  'shipment.cancelled',
  'return.requested',
  'return.received',
  'return.resolved',
  'stock.changed',
  'invoice.issued',
  'note.added',
  'message.sent',
] as const;

/** One of {@link orderEventTypes}. */
export type KnownOrderEventType = (typeof orderEventTypes)[number];

/**
 * The `data` of your events, by type. Name each type that your application records, also types of your own: `record()`
 * then checks `data` in your editor, and `switch (event.type)` narrows the `data` of an event that you read. Once a type
 * is named here, TypeScript refuses to compare `event.type` with a type that is neither known nor named. Then name that
 * type, too.
 * @example
 * declare module 'nestjs-shipping' {
 *   interface OrderEventData {
 *     'order.paid': { amount: string; currency: string };
 *     'gift.wrapped': { paper?: string };
 *   }
 * }
 */
export interface OrderEventData {}

/** A type that {@link orderEventTypes} or {@link OrderEventData} names. */
export type NamedOrderEventType = KnownOrderEventType | keyof OrderEventData;

/** A known type, which an editor completes, or any other. */
export type OrderEventType = NamedOrderEventType | (string & Record<never, never>);

/** It stands for all types without a name. `string` in its place would keep `switch` from narrowing. */
declare enum OtherOrderEventType {
  Type = 'a type that OrderEventData does not name',
}

/** The type that an event has when it is read, if {@link OrderEventData} names types. */
export type TypeOfEvent<Type extends OrderEventType> = string extends Type
  ? NamedOrderEventType | OtherOrderEventType
  : Type extends NamedOrderEventType
    ? Type
    : OtherOrderEventType;

const known: ReadonlySet<string> = new Set(orderEventTypes);

/**
 * Returns whether a type is one of {@link orderEventTypes}.
 * @example
 * const label = isKnownOrderEventType(event.type) ? labels[event.type] : event.type;
 */
export function isKnownOrderEventType(type: string): type is KnownOrderEventType {
  return known.has(type);
}
