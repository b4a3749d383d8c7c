import { Allow } from 'class-validator';
import { checkFields } from '../../validation/check-fields.js';
import { checkIdentifier } from '../../validation/identifiers.js';
import { checkJsonObject } from '../../validation/json-object.js';
import { content, Required, Text, Time, writtenTime } from '../../validation/rules.js';
import { Violations } from '../../validation/violations.js';
import { type OrderEventType } from '../order-event-types.js';
import { eventLengths, OrderEventActor, type OrderEventDto } from './order-event.dto.js';

export const eventTypePattern = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** An event to append to the history of an order. */
export class RecordOrderEvent {
  @Allow()
  projectId!: string;

  @Allow()
  orderId!: string;

  /** `noun.verb`, at most 64 characters; see `orderEventTypes`. */
  @Required()
  @Text(eventLengths.type)
  @content((text) => eventTypePattern.test(text), `must be like "order.placed": ${eventTypePattern.source}.`)
  type!: OrderEventType;

  /** At most 1,000 characters. */
  @Text(eventLengths.message)
  message?: string | null;

  /** At most 16 KiB of JSON, 8 levels deep. */
  @Allow()
  data?: object | null;

  @Allow()
  actor?: (Pick<OrderEventActor, 'type'> & Partial<OrderEventActor>) | null;

  /** When it happened, a Date or an RFC 3339 time with an offset; by default now, by the database's clock. */
  @Time()
  occurredAt?: Date | string | null;

  /** Unique in its order, 1 to 128 characters: recording it again returns the first event. */
  @Text(eventLengths.dedupeKey, 1)
  dedupeKey?: string | null;
}

/** An event in the form of the columns. */
export type CheckedOrderEvent = Omit<OrderEventDto, 'id' | 'recorded_at' | 'occurred_at'> & {
  /** null: now. */
  occurred_at: string | null;
  dedupe_key: string | null;
};

/** @throws ValidationFailedError, or InvalidParameterError for the ids, with every violation by pointer */
export function checkOrderEvent(input: unknown): CheckedOrderEvent {
  const violations = new Violations();
  const event = checkFields(violations, RecordOrderEvent, input);
  checkIdentifier(violations, 'projectId', event.projectId);
  checkIdentifier(violations, 'orderId', event.orderId);
  const { data, actor } = Object(input) as RecordOrderEvent;
  const checked = {
    project_id: event.projectId,
    order_id: event.orderId,
    type: event.type,
    message: event.message ?? null,
    data: checkJsonObject(violations, '/data', data ?? {}) ?? {},
    actor: actor === undefined || actor === null ? null : checkActor(violations, actor),
    // Cut to milliseconds. Rounded up, the last moment of all would be in the year 10000.
    occurred_at: writtenTime(event.occurredAt)?.replace(/(\.\d{3})\d*Z$/, '$1Z') ?? null,
    dedupe_key: event.dedupeKey ?? null,
  };
  violations.throwIfAny();
  return checked;
}

function checkActor(violations: Violations, input: unknown): OrderEventActor {
  const { type, id, label } = checkFields(violations, OrderEventActor, input, '/actor');
  return { type, id: id ?? null, label: label ?? null };
}
