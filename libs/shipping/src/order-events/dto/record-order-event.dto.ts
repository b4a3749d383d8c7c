import { Faults, pointerTo } from '../../validation/faults.js';
import { checkIdentifier } from '../../validation/identifiers.js';
import { checkJsonObject, isPlainObject } from '../../validation/json-object.js';
import { isStorable, lengthOf } from '../../validation/text.js';
import { utcTime } from '../../validation/time.js';
import { type OrderEventType } from '../order-event-types.js';
import { actorTypes, type OrderEventActor, type OrderEventDto } from './order-event.dto.js';

/** An event to append to the history of an order. */
export interface RecordOrderEvent {
  projectId: string;
  orderId: string;
  /** `noun.verb`, at most 64 characters; see `orderEventTypes`. */
  type: OrderEventType;
  /** At most 1,000 characters. */
  message?: string | null;
  /** At most 16 KiB of JSON, 8 levels deep. */
  data?: object | null;
  actor?: { type: OrderEventActor['type']; id?: string | null; label?: string | null } | null;
  /** When it happened, a Date or an RFC 3339 time with an offset; by default now, by the database's clock. */
  occurredAt?: Date | string | null;
  /** Unique in its order, at most 128 characters: recording it again returns the first event. */
  dedupeKey?: string | null;
}

export const eventTypePattern = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** Code points. */
export const eventLengths = {
  type: 64,
  message: 1000,
  actorId: 64,
  actorLabel: 255,
  dedupeKey: 128,
} as const;

/** As the columns take it. */
export type CheckedOrderEvent = Omit<OrderEventDto, 'id' | 'recorded_at' | 'occurred_at'> & {
  /** null: now. */
  occurred_at: string | null;
  dedupe_key: string | null;
};

const fields = ['projectId', 'orderId', 'type', 'message', 'data', 'actor', 'occurredAt', 'dedupeKey'];
const actorFields = ['type', 'id', 'label'];

/** @throws ValidationFailedError, or InvalidParameterError for the ids, with every fault by pointer */
export function checkOrderEvent(input: unknown): CheckedOrderEvent {
  const faults = new Faults();
  const event = isPlainObject(input) ? input : {};
  if (!isPlainObject(input)) faults.add({ pointer: '' }, 'type', 'An event must be an object.');
  checkIdentifier(faults, 'project_id', event['projectId']);
  checkIdentifier(faults, 'order_id', event['orderId']);
  refuseUnknown(faults, '', event, fields);
  const checked = {
    project_id: String(event['projectId']),
    order_id: String(event['orderId']),
    type: kind(faults, event['type']),
    message: text(faults, '/message', event['message'], eventLengths.message),
    data: checkJsonObject(faults, '/data', event['data'] ?? {}) ?? {},
    actor: actor(faults, event['actor']),
    occurred_at: time(faults, '/occurredAt', event['occurredAt']),
    dedupe_key: text(faults, '/dedupeKey', event['dedupeKey'], eventLengths.dedupeKey, 1),
  };
  faults.throwIfAny();
  return checked;
}

function kind(faults: Faults, value: unknown): string {
  if (value === undefined || value === null) faults.inBody('/type', 'required', 'is required.');
  const type = text(faults, '/type', value, eventLengths.type);
  if (type !== null && !eventTypePattern.test(type))
    faults.inBody('/type', 'format', `must be like "order.placed": ${eventTypePattern.source}.`);
  return type ?? '';
}

function text(faults: Faults, pointer: string, value: unknown, max: number, min = 0): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return faults.inBody(pointer, 'type', 'must be a string.');
  if (!isStorable(value)) return faults.inBody(pointer, 'format', 'must have no NUL and no lone surrogate.');
  const length = lengthOf(value);
  if (length >= min && length <= max) return value;
  return faults.inBody(pointer, 'length', `must be ${min} to ${max} characters.`);
}

function time(faults: Faults, pointer: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const isDate = value instanceof Date;
  const written = isDate && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  const read = typeof written === 'string' ? utcTime(written) : undefined;
  // To milliseconds: rounded up, the last moment would be of the year 10000.
  if (read !== undefined) return `${read.slice(0, 23)}Z`;
  const remedy = 'must be a Date, or an RFC 3339 time with an offset, in the years 0001 to 9999.';
  return faults.inBody(pointer, isDate || typeof value === 'string' ? 'format' : 'type', remedy);
}

function actor(faults: Faults, value: unknown): OrderEventActor | null {
  if (value === undefined || value === null) return null;
  if (!isPlainObject(value)) return faults.inBody('/actor', 'type', 'must be an object.');
  refuseUnknown(faults, '/actor', value, actorFields);
  const type = actorTypes.find((known) => known === value['type']);
  if (!type) {
    const code = value['type'] === undefined || value['type'] === null ? 'required' : 'not_allowed';
    faults.inBody('/actor/type', code, `must be one of ${actorTypes.join(', ')}.`, actorTypes);
  }
  return {
    type: type ?? 'system',
    id: text(faults, '/actor/id', value['id'], eventLengths.actorId),
    label: text(faults, '/actor/label', value['label'], eventLengths.actorLabel),
  };
}

function refuseUnknown(faults: Faults, pointer: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value).filter((name) => !known.includes(name)))
    faults.inBody(pointerTo(pointer, key), 'unknown', 'is no known field.', known);
}
