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

/** One of `orderEventTypes`. */
export type KnownOrderEventType = (typeof orderEventTypes)[number];

/** A known type, which an editor completes, or any other. */
export type OrderEventType = KnownOrderEventType | (string & Record<never, never>);
