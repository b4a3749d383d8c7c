import { type EntityManager } from 'typeorm';
import { DatabaseUnavailableError } from '../database/database.errors.js';
import {
  ifAbsent,
  isMysql,
  isSqlite,
  readsFromSnapshotByDefault,
  nowIn,
  selectExpression,
  timeParameter,
} from '../database/engines/engine.js';
import { runCached } from '../database/statement.js';
import { type OrderEventDto, type RecordedOrderEvent } from './dto/order-event.dto.js';
import { type CheckedOrderEvent } from './dto/record-order-event.check.js';
import { OrderEvent } from './order-event.entity.js';

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
export interface EventsOf {
  projectId: string;
  orderId?: string;
}

/** The place of an event in the history of its order. */
export type EventPlace = Pick<EventRow, 'occurred_at' | 'seq'>;

/** Which events of an order are read. */
export interface EventRange {
  /** At most so many events. */
  limit: number;
  /** Only events of this type. */
  type?: string | undefined;
  newestFirst?: boolean;
  /** Only events that come after this place, in the direction of reading. */
  after?: EventPlace | undefined;
  /** Only events that come no later than the time of this place, in the direction of reading. */
  until?: EventPlace | undefined;
}

/** How often an event is inserted again whose key was taken by an event that others remove before it is read. */
const maxInserts = 5;

/**
 * @param id identifies the call: when it is tried again, it knows its own event
 * @returns the event, or the first one with its key
 */
export async function insertEvent(
  manager: EntityManager,
  id: string,
  event: CheckedOrderEvent,
): Promise<RecordedOrderEvent> {
  const { driver } = manager.connection;
  const now = (): string => nowIn(manager);
  const row = {
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
    // A key of several columns is not numbered by itself there.
    ...(isSqlite(manager) && { seq: () => `(SELECT COALESCE(MAX(seq), 0) + 1 FROM ${tableOf(manager)})` }),
  };
  const insert = manager.createQueryBuilder().insert().into(OrderEvent).values(row).updateEntity(false);
  if (event.occurred_at !== null)
    insert.setParameter('occurredAt', timeParameter(manager, event.occurred_at));
  if (event.dedupe_key !== null) ifAbsent(manager, insert, 'dedupe_key');
  if (driver.isReturningSqlSupported('insert'))
    insert.returning(columns.map((name) => `${read(manager, name)} AS ${name}`).join(', '));
  for (let attempt = 1; attempt <= maxInserts; attempt++) {
    const { raw } = await insert.execute();
    const [inserted] = Array.isArray(raw) ? (raw as EventRow[]) : [];
    // MariaDB also returns the event that has the key already.
    const stored = inserted ?? (await storedEvent(manager, id, event));
    if (stored) return { ...eventOf(stored), repeated: stored.id !== id };
  }
  // The snapshot of the caller's transaction is older than the event that has the key.
  throw new DatabaseUnavailableError(new Error('Another transaction has the dedupeKey.'), 'race');
}

/** @returns the event that was inserted, or the one that has its key; undefined when that one was removed meanwhile */
function storedEvent(
  manager: EntityManager,
  id: string,
  { project_id: projectId, order_id: orderId, dedupe_key: dedupeKey }: CheckedOrderEvent,
): Promise<EventRow | undefined> {
  const query = selected(manager).where('e.project_id = :projectId AND e.order_id = :orderId', {
    projectId,
    orderId,
  });
  if (dedupeKey === null) return query.andWhere('e.id = :id', { id }).getRawOne<EventRow>();
  query.andWhere('e.dedupe_key = :dedupeKey', { dedupeKey });
  // Only a read that locks finds a row that is newer than the snapshot of the transaction.
  if (readsFromSnapshotByDefault(manager) && manager.queryRunner?.isTransactionActive)
    query.setLock('pessimistic_write');
  return query.getRawOne<EventRow>();
}

/** Reads events by a key, so that it takes no longer in a long history. */
export async function readEvents(
  manager: EntityManager,
  { projectId, orderId }: Required<EventsOf>,
  { limit, type, newestFirst = false, after, until }: EventRange,
): Promise<EventRow[]> {
  const values = {
    projectId,
    orderId,
    type,
    ...(after && placeOf(manager, after)),
    ...(until && { until: timeOf(manager, until) }),
  };
  const parts = [type && 'type', newestFirst && 'newest first', after && 'after', until && 'until'];
  const name = ['events', limit, ...parts.filter(Boolean)].join(' ');
  const { records } = await runCached<EventRow>(manager, OrderEvent, name, values, () => {
    const sign = newestFirst ? '<' : '>';
    const query = selected(manager).where('e.project_id = :projectId AND e.order_id = :orderId');
    if (type !== undefined) query.andWhere('e.type = :type');
    // Each engine looks up its form of this condition in a key. Of the other form, it reads all events of the same time.
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
 * Reads events of some types, or of all. The events of each type are read by a key, up to the last one that can still be
 * on the page, and are merged. One statement for several types would read all their events to sort them.
 */
export async function readPage(
  manager: EntityManager,
  of: Required<EventsOf>,
  range: EventRange,
  types: readonly string[] | undefined,
): Promise<EventRow[]> {
  if (!types) return readEvents(manager, of, range);
  const sign = range.newestFirst ? -1 : 1;
  let merged: EventRow[] = [];
  for (const type of types) {
    const rows = await readEvents(manager, of, { ...range, type, until: merged[range.limit - 1] });
    merged = [...merged, ...rows].toSorted((a, b) => sign * byPlace(a, b)).slice(0, range.limit);
  }
  return merged;
}

/**
 * Deletes events in the order of their key.
 * @param limit at most about so many; by default all
 * @returns how many were deleted; and `last`, the number of the last one of the batch, if there may be more after it
 */
export async function deleteEvents(
  manager: EntityManager,
  { projectId, orderId }: EventsOf,
  limit?: number,
): Promise<{ count: number; last: number | undefined }> {
  let last: EventRow | undefined;
  const [ofProject, ofOrder] = ['project_id = :projectId', 'order_id = :orderId'];
  const remove = manager.createQueryBuilder().delete().from(OrderEvent).where(ofProject, { projectId });
  if (orderId !== undefined) remove.andWhere(ofOrder, { orderId });
  if (limit !== undefined) {
    const query = selected(manager).where(`e.${ofProject}`, { projectId });
    if (orderId !== undefined) query.andWhere(`e.${ofOrder}`, { orderId });
    last = await query
      .orderBy('e.order_id')
      .addOrderBy('e.occurred_at')
      .addOrderBy('e.seq')
      .offset(limit - 1)
      .limit(1)
      .getRawOne<EventRow>();
    if (last)
      remove.andWhere(
        'order_id <= :last AND (order_id < :last OR occurred_at < :time OR (occurred_at = :time AND seq <= :seq))',
        { ...placeOf(manager, last), last: last.order_id },
      );
  }
  const { affected } = await remove.execute();
  return { count: affected ?? 0, last: last && Number(last.seq) };
}

/** A place as parameters. */
function placeOf(manager: EntityManager, place: EventPlace) {
  return { time: timeOf(manager, place), seq: Number(place.seq) };
}

function timeOf(manager: EntityManager, { occurred_at }: EventPlace): string {
  return timeParameter(manager, String(occurred_at));
}

/** The order of the history. */
function byPlace(a: EventPlace, b: EventPlace): number {
  const [time, other] = [String(a.occurred_at), String(b.occurred_at)];
  if (time !== other) return time < other ? -1 : 1;
  return Number(a.seq) - Number(b.seq);
}

function selected(manager: EntityManager) {
  const query = manager.createQueryBuilder(OrderEvent, 'e').select(selectExpression(manager, 'e.seq'), 'seq');
  // Your DataSource may answer queries from a cache of TypeORM.
  query.cache(false);
  for (const name of columns) query.addSelect(read(manager, name, `e.${name}`), name);
  return query;
}

function read(manager: EntityManager, name: (typeof columns)[number], column: string = name): string {
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
