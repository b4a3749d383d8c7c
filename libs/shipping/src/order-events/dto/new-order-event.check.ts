import { checkFields } from '../../validation/check-fields.js';
import { checkJsonObject } from '../../validation/json-object.js';
import { utcTimeOf } from '../../validation/rules.js';
import { type Violations } from '../../validation/violations.js';
import { OrderEventActor, type OrderEventDto } from './order-event.dto.js';
import { type OrderEventType } from '../order-event-types.js';
import { type NewOrderEvent, NewOrderEventFields } from './new-order-event.dto.js';

/** A checked event, in which every field has a value. */
export type CheckedOrderEvent = Pick<OrderEventDto, 'type' | 'message' | 'data' | 'actor'> & {
  /** Null stands for the time of the database when the row is inserted. */
  occurred_at: string | null;
  dedupe_key: string | null;
};

export function checkOrderEvent(violations: Violations, input: unknown): CheckedOrderEvent {
  const { data, actor } = Object(input) as NewOrderEvent;
  const event = checkFields(violations, NewOrderEventFields, input);
  return {
    type: event.type,
    message: event.message ?? null,
    data: checkJsonObject(violations, '/data', data ?? {}) ?? {},
    actor: actor === undefined || actor === null ? null : checkActor(violations, actor),
    // The time is cut to milliseconds. If it were rounded, the last moment of 9999 would be in the year 10000.
    occurred_at: utcTimeOf(event.occurred_at)?.replace(/(\.\d{3})\d*Z$/, '$1Z') ?? null,
    dedupe_key: event.dedupe_key ?? null,
  } satisfies Record<keyof NewOrderEventFields<OrderEventType, object>, unknown>;
}

function checkActor(violations: Violations, input: unknown): OrderEventActor {
  const { type, id, label } = checkFields(violations, OrderEventActor, input, { pointer: '/actor' });
  return { type, id: id ?? null, label: label ?? null };
}
