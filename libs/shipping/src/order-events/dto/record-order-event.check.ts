import { checkFields } from '../../validation/check-fields.js';
import { checkWithIds } from '../../validation/identifiers.js';
import { checkJsonObject } from '../../validation/json-object.js';
import { writtenTime } from '../../validation/rules.js';
import { type Violations } from '../../validation/violations.js';
import { OrderEventActor, type OrderEventDto } from './order-event.dto.js';
import { RecordOrderEvent } from './record-order-event.dto.js';

/** An event in the form of the columns. */
export type CheckedOrderEvent = Omit<OrderEventDto, 'id' | 'recorded_at' | 'occurred_at'> & {
  /** null: now. */
  occurred_at: string | null;
  dedupe_key: string | null;
};

/** @throws ValidationFailedError, or InvalidParameterError when an id has violations; with all violations of the event */
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
      // Cut to milliseconds. Rounded up, the last moment of all would be in the year 10000.
      occurred_at: writtenTime(event.occurredAt)?.replace(/(\.\d{3})\d*Z$/, '$1Z') ?? null,
      dedupe_key: event.dedupeKey ?? null,
    };
  });
}

function checkActor(violations: Violations, input: unknown): OrderEventActor {
  const { type, id, label } = checkFields(violations, OrderEventActor, input, '/actor');
  return { type, id: id ?? null, label: label ?? null };
}
