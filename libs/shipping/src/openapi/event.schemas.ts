import { type OrderEventActor, type OrderEventDto, actorTypes } from '../order-events/dto/order-event.dto.js';
import { eventLengths, eventTypePattern } from '../order-events/dto/record-order-event.dto.js';
import { orderEventTypes } from '../order-events/order-event-types.js';
import { answer, array, type Dialect, id, json, ref, type Schema, string, time } from './schema.js';

export function eventSchemas({ nullable }: Dialect): Record<string, Schema> {
  return {
    OrderEvent: answer<OrderEventDto>('An entry in the history of an order; it never changes.', {
      id,
      project_id: string,
      order_id: string,
      type: {
        ...string,
        maxLength: eventLengths.type,
        pattern: eventTypePattern.source,
        description: `Open: expect others than the known kinds, which are ${orderEventTypes.join(', ')}.`,
      },
      message: nullable({ type: 'string', maxLength: eventLengths.message }),
      data: json,
      actor: nullable({
        ...answer<OrderEventActor>('Who or what caused it.', {
          type: { ...string, enum: actorTypes },
          id: nullable({ type: 'string', maxLength: eventLengths.actorId }),
          label: nullable({ type: 'string', maxLength: eventLengths.actorLabel }),
        }),
        type: 'object',
      }),
      occurred_at: { ...time, description: 'When it happened, by the word of its recorder.' },
      recorded_at: { ...time, description: 'When it was stored.' },
    }),
    OrderEventList: answer<{ data: OrderEventDto[] }>('The whole history, oldest first.', {
      data: array(ref('OrderEvent')),
    }),
  };
}
