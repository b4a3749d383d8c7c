import { type OrderEventPage } from '../order-events/dto/order-event-page.dto.js';
import * as dto from '../order-events/dto/order-event.dto.js';
import { eventTypePattern } from '../order-events/dto/new-order-event.dto.js';
import { orderEventTypes } from '../order-events/order-event-types.js';
import * as s from './schema.js';

const lengths = dto.eventLengths;
const openType = `An event may have any type of this form. The known types are ${orderEventTypes.join(', ')}.`;
const actor: s.Fields<keyof dto.OrderEventActor> = {
  type: { ...s.string, enum: dto.actorTypes },
  id: s.nullable({ ...s.string, maxLength: lengths.actorId }),
  label: s.nullable({ ...s.string, maxLength: lengths.actorLabel }),
};
const event: s.Fields<keyof dto.OrderEventDto> = {
  id: s.about('Opaque.'),
  project_id: s.string,
  order_id: s.string,
  type: s.about(openType, { ...s.string, maxLength: lengths.type, pattern: eventTypePattern.source }),
  message: s.nullable({ ...s.string, maxLength: lengths.message }),
  data: s.kinds.json,
  actor: s.nullable(s.object('The person or the program that caused the event.', actor)),
  occurred_at: s.about('When the event happened, as the caller of `record()` says.', s.kinds.time),
  recorded_at: s.about('When the event was stored.', s.kinds.time),
};
const example: dto.OrderEventDto = {
  id: '019a9f52-1a40-7c0e-8b11-2f4d9a7c5e60',
  project_id: 'acme',
  order_id: '1000042',
  type: 'shipment.dispatched',
  message: 'Handed to UPS',
  data: { carrier_code: 'ups', method_code: '03', tracking_number: '1Z999AA10123456784' },
  actor: { type: 'user', id: '7', label: 'Ada' },
  occurred_at: '2025-11-20T09:51:00.000Z',
  recorded_at: '2025-11-20T09:51:00.214Z',
};
const events = s.arrayOf(s.ref('OrderEvent'));
const page: s.Fields<keyof OrderEventPage> = {
  data: events,
  next: s.nullable(s.about('The cursor of the next page, or null when there was no further event.')),
};

export const eventSchemas = {
  OrderEvent: {
    ...s.object(
      'An entry in the history of an order. It never changes, unless its personal data is erased: `message` is then null, `data` is empty, and `actor` has only its `type`.',
      event,
    ),
    example,
  },
  OrderEventList: s.object('The whole history of an order, the oldest event first.', { data: events }),
  // For routes of the host, which call `OrderEventsService.list()`.
  OrderEventPage: s.object('One page of the history of an order.', page),
};
