import { type EntityManager } from 'typeorm';
import { DatabaseUnavailableError } from '../database/database.errors.js';
import { isDuplicate } from '../database/connection-errors.js';
import { isMysql, isSqlite, nowIn, selectExpression, timeParameter } from '../database/engines/engine.js';
import { dialectOf } from '../database/dialects/dialects.js';
import { runCached } from '../database/statement.js';
import { type OrderEventDto, type RecordedOrderEvent } from './dto/order-event.dto.js';
import { type CheckedOrderEvent } from './dto/record-order-event.check.js';
import { OrderEvent } from './order-event.table.js';

// This file has all statements about events. Columns have the names of the wire.

const columns = [
  'id',
  'project_id',
  'order_id',
  'type',
  'message',
  'data',
  'actor',
  'occurred_at',
  'recorded_at',
] as const satisfies (keyof OrderEventDto)[];

export type EventRow = Record<(typeof columns)[number] | 'seq', unknown>;

/** The events of an order, or of all orders of a project. */
export interface EventScope {
  projectId: string;
  orderId?: string;
}

/** The position of an event in the history of its order. */
export type EventPosition = Pick<EventRow, 'occurred_at' | 'seq'>;

/** Which events of an order are read. */
export interface EventRange {
  /** The largest number of events. */
  limit: number;
  /** Only events of this type. */
  type?: string | undefined;
  newestFirst?: boolean;
  /** Only events that come after this position, in the direction of reading. */
  after?: EventPosition | undefined;
  /** Only events until the time of this position, in the direction of reading. Events of the same time are included. */
  until?: EventPosition | undefined;
}

/**
 * @param id the id of the new event; if the stored event has another id, the event is repeated
 * @returns the event, or the first one with its key
 */
export async function insertEvent(
  manager: EntityManager,
  id: string,
  event: CheckedOrderEvent,
): Promise<RecordedOrderEvent> {
  const now = (): string => nowIn(manager);
  const insert = manager
    .createQueryBuilder()
    .insert()
    .into(OrderEvent)
    .values({
      projectId: event.project_id,
      orderId: event.order_id,
      id,
      type: event.type,
      message: event.message,
      data: event.data as object,
      actor: event.actor,
      dedupeKey: event.dedupe_key,
      occurredAt: event.occurred_at === null ? now : () => ':occurredAt',
      recordedAt: now,
      // SQLite does not number a key of several columns.
      ...(isSqlite(manager) && { seq: () => `(SELECT COALESCE(MAX(seq), 0) + 1 FROM ${tableOf(manager)})` }),
    })
    .updateEntity(false);
  if (event.occurred_at !== null)
    insert.setParameter('occurredAt', timeParameter(manager, event.occurred_at));
  if (manager.connection.driver.isReturningSqlSupported('insert'))
    insert.returning(columns.map((name) => `${columnSql(manager, name)} AS ${name}`).join(', '));
  for (const mayBeRepeated of event.dedupe_key === null ? [false] : [true, false]) {
    // On PostgreSQL, an INSERT that fails ends the transaction of the caller. So the first one adds nothing if the order has
    // the key. It also adds nothing if a unique index of the host is violated, and then the second one fails.
    insert.orIgnore(mayBeRepeated && !isMysql(manager));
    const { raw } = await insert.execute().catch((error: unknown) => {
      if (!isDuplicate(error, 'uq_shipping_order_event_dedupe_key', 'dedupe_key')) throw error;
      if (mayBeRepeated) return { raw: undefined };
      // The event with the key was removed before it was read, and somebody has recorded it again.
      throw new DatabaseUnavailableError(error, 'race');
    });
    const [inserted] = Array.isArray(raw) ? (raw as EventRow[]) : [];
    const { insertId: seq } = Object(raw) as { insertId?: number };
    const stored = inserted ?? (await storedEvent(manager, { id, seq }, event));
    if (stored) return { ...eventOf(stored), repeated: stored.id !== id };
  }
  throw new Error('The database has not stored the event. A trigger may have prevented it.');
}

/** Returns whether an INSERT returns the new row. Otherwise a second statement reads it. */
export function returnsRow({ connection }: EntityManager): boolean {
  return connection.driver.isReturningSqlSupported('insert');
}

/**
 * @param inserted `seq` is the number that MySQL gave the new row; other drivers do not return it
 * @returns the event that was inserted, or the event that has its key; undefined if that event has been removed by now
 */
async function storedEvent(
  manager: EntityManager,
  { id, seq }: { id: string; seq: number | undefined },
  { project_id: projectId, order_id: orderId, dedupe_key: dedupeKey }: CheckedOrderEvent,
): Promise<EventRow | undefined> {
  const { readsFromSnapshot, shareLock } = dialectOf(manager.connection);
  const conditions = ['e.project_id = :projectId', 'e.order_id = :orderId'];
  // No index has the id. Without the number, MySQL would read the whole history.
  if (dedupeKey === null) conditions.push('e.id = :id', ...(seq === undefined ? [] : ['e.seq = :seq']));
  else conditions.push('e.dedupe_key = :dedupeKey');
  const condition = conditions.join(' AND ');
  const values = { projectId, orderId, dedupeKey, id, seq };
  const { records } = await runCached<EventRow>(manager, OrderEvent, condition, values, () => {
    const select = selectEvents(manager).where(condition).getQuery();
    // Only a read that locks finds a row that is newer than the snapshot of the transaction.
    return { getQuery: () => select + (readsFromSnapshot ? shareLock : '') };
  });
  return records[0];
}

/** Reads events in the order of an index, so that a read takes no longer in a long history. */
export async function readEvents(
  manager: EntityManager,
  { projectId, orderId }: Required<EventScope>,
  { limit, type, newestFirst = false, after, until }: EventRange,
): Promise<EventRow[]> {
  const values = {
    projectId,
    orderId,
    type,
    ...(after && positionParameters(manager, after)),
    ...(until && { until: timeOf(manager, until) }),
  };
  const parts = [type && 'type', newestFirst && 'newest first', after && 'after', until && 'until'];
  const name = ['events', limit, ...parts.filter(Boolean)].join(' ');
  const { records } = await runCached<EventRow>(manager, OrderEvent, name, values, () => {
    const sign = newestFirst ? '<' : '>';
    const query = selectEvents(manager).where('e.project_id = :projectId AND e.order_id = :orderId');
    if (type !== undefined) query.andWhere('e.type = :type');
    // MySQL and MariaDB look up the first form of this condition in a key, and the other engines the second form. With the
    // wrong form, an engine would read all events of that time.
    if (after && isMysql(manager))
      query.andWhere(`(e.occurred_at ${sign} :time OR (e.occurred_at = :time AND e.seq ${sign} :seq))`);
    else if (after) query.andWhere(`(e.occurred_at, e.seq) ${sign} (:time, :seq)`);
    if (until) query.andWhere(`e.occurred_at ${newestFirst ? '>=' : '<='} :until`);
    const direction = newestFirst ? 'DESC' : 'ASC';
    return query.orderBy('e.occurred_at', direction).addOrderBy('e.seq', direction).limit(limit);
  });
  return records;
}

/**
 * Reads events of some types, or of all types. The events of each type are read by a key, up to the last event that can
 * still be on the page, and are merged. One statement for several types would read all their events to sort them.
 */
export async function readPage(
  manager: EntityManager,
  order: Required<EventScope>,
  range: EventRange,
  types: readonly string[] | undefined,
): Promise<EventRow[]> {
  if (!types) return readEvents(manager, order, range);
  const sign = range.newestFirst ? -1 : 1;
  let merged: EventRow[] = [];
  for (const type of types) {
    const rows = await readEvents(manager, order, { ...range, type, until: merged[range.limit - 1] });
    merged = [...merged, ...rows].toSorted((a, b) => sign * byPosition(a, b)).slice(0, range.limit);
  }
  return merged;
}

/** A part of the events that are deleted, in the order of their key. */
export interface DeletedBatch {
  /** About how many events it has. */
  limit: number;
  /** The last event of the batch before. */
  after: EventRow | undefined;
}

/**
 * @param batch deletes only these events; by default all
 * @returns how many were deleted, and the last event of the batch if there may be more after it
 */
export async function deleteEvents(
  manager: EntityManager,
  { projectId, orderId }: EventScope,
  batch?: DeletedBatch,
): Promise<{ count: number; last: EventRow | undefined }> {
  const conditions = ['project_id = :projectId'];
  const values: Record<string, unknown> = { projectId, orderId };
  if (orderId !== undefined) conditions.push('order_id = :orderId');
  if (batch?.after) {
    const { time, seq } = positionParameters(manager, batch.after);
    Object.assign(values, { firstOrder: batch.after.order_id, firstTime: time, firstSeq: seq });
    conditions.push(
      'order_id >= :firstOrder AND (order_id > :firstOrder OR occurred_at > :firstTime OR (occurred_at = :firstTime AND seq > :firstSeq))',
    );
  }
  const last =
    batch &&
    (await selectEvents(manager)
      .where(conditions.join(' AND '), values)
      .orderBy('e.order_id')
      .addOrderBy('e.occurred_at')
      .addOrderBy('e.seq')
      .offset(batch.limit - 1)
      .limit(1)
      .getRawOne<EventRow>());
  if (last) {
    const { time, seq } = positionParameters(manager, last);
    Object.assign(values, { lastOrder: last.order_id, lastTime: time, lastSeq: seq });
    conditions.push(
      'order_id <= :lastOrder AND (order_id < :lastOrder OR occurred_at < :lastTime OR (occurred_at = :lastTime AND seq <= :lastSeq))',
    );
  }
  const { affected } = await manager
    .createQueryBuilder()
    .delete()
    .from(OrderEvent)
    .where(conditions.join(' AND '), values)
    .execute();
  return { count: affected ?? 0, last };
}

function positionParameters(manager: EntityManager, position: EventPosition) {
  return { time: timeOf(manager, position), seq: Number(position.seq) };
}

function timeOf(manager: EntityManager, { occurred_at }: EventPosition): string {
  return timeParameter(manager, String(occurred_at));
}

/** Compares two positions for the order of the history. */
function byPosition(a: EventPosition, b: EventPosition): number {
  const [time, other] = [String(a.occurred_at), String(b.occurred_at)];
  if (time !== other) return time < other ? -1 : 1;
  return Number(a.seq) - Number(b.seq);
}

function selectEvents(manager: EntityManager) {
  const query = manager.createQueryBuilder(OrderEvent, 'e').select(selectExpression(manager, 'e.seq'), 'seq');
  // A DataSource with TypeORM's query cache would answer with old rows.
  query.cache(false);
  for (const name of columns) query.addSelect(columnSql(manager, name, `e.${name}`), name);
  return query;
}

function columnSql(manager: EntityManager, name: (typeof columns)[number], column: string = name): string {
  return selectExpression(manager, column, name.endsWith('_at'));
}

function tableOf({ connection }: EntityManager): string {
  const names = connection.getMetadata(OrderEvent).tablePath.split('.');
  return names.map((name) => connection.driver.escape(name)).join('.');
}

export function eventOf(row: EventRow): OrderEventDto {
  const text = (value: unknown): string => String(value);
  return {
    id: text(row.id),
    project_id: text(row.project_id),
    order_id: text(row.order_id),
    type: text(row.type),
    message: row.message === null ? null : text(row.message),
    data: JSON.parse(text(row.data)) as OrderEventDto['data'],
    actor: row.actor === null ? null : (JSON.parse(text(row.actor)) as OrderEventDto['actor']),
    occurred_at: text(row.occurred_at),
    recorded_at: text(row.recorded_at),
  };
}
