import { checkFields } from '../../validation/check-fields.js';
import { checkWithIds } from '../../validation/identifiers.js';
import { checkJsonObject } from '../../validation/json-object.js';
import { utcTimeOf } from '../../validation/rules.js';
import { type Violations } from '../../validation/violations.js';
import { OrderEventActor, type OrderEventDto } from './order-event.dto.js';
import { RecordOrderEvent } from './record-order-event.dto.js';

/** A checked event, with the names of the columns. */
export type CheckedOrderEvent = Omit<OrderEventDto, 'id' | 'recorded_at' | 'occurred_at'> & {
  /** Null stands for the time of the database when the row is inserted. */
  occurred_at: string | null;
  dedupe_key: string | null;
};

/**
 * Checks an event, and lists all of its violations in one error.
 * @throws InvalidParameterError when an id has a violation, otherwise ValidationFailedError
 */
export function checkOrderEvent(input: unknown): CheckedOrderEvent {
  const { projectId, orderId, data, actor } = Object(input) as RecordOrderEvent;
  return checkWithIds({ projectId, orderId }, (violations) => {
    const event = checkFields(violations, RecordOrderEvent, input);
    return {
      project_id: projectId,
      order_id: orderId,
      type: event.type,
      message: event.message ?? null,
      data: checkJsonObject(violations, '/data', data ?? {}) ?? {},
      actor: actor === undefined || actor === null ? null : checkActor(violations, actor),
      // The time is cut to milliseconds. If it were rounded, the last moment of 9999 would be in the year 10000.
      occurred_at: utcTimeOf(event.occurredAt)?.replace(/(\.\d{3})\d*Z$/, '$1Z') ?? null,
      dedupe_key: event.dedupeKey ?? null,
    };
  });
}

function checkActor(violations: Violations, input: unknown): OrderEventActor {
  const { type, id, label } = checkFields(violations, OrderEventActor, input, '/actor');
  return { type, id: id ?? null, label: label ?? null };
}
