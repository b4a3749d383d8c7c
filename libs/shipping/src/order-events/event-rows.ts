import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/driver-errors.js';
import { dataSourceOf, dialectIn } from '../database/data-source-of.js';
import { quotedPath } from '../database/dialects/dialect.js';
import { runCached } from '../database/run-cached.js';
import { type OrderEventDto, type RecordedOrderEvent } from './dto/order-event.dto.js';
import { type EventRange } from './dto/order-event-page.check.js';
import { type CheckedOrderEvent } from './dto/new-order-event.check.js';
import { lostRaceError } from '../database/database.errors.js';
import { isBeyond, positionValues } from './event-position.js';
import { type OrderKey } from './order-key.js';
import { dedupeIndex, OrderEvent } from './order-event.table.js';

// This file has the statements that store and read events. A column has the name of its field in JSON.

/** The columns of an event. A driver of the database may return a time in a form of its own, so we read it as text. */
const columns = {
  id: 'value',
  project_id: 'value',
  order_id: 'value',
  type: 'value',
  message: 'value',
  data: 'value',
  actor: 'value',
  occurred_at: 'time',
  recorded_at: 'time',
} satisfies Record<keyof OrderEventDto, 'value' | 'time'>;
const columnNames = Object.keys(columns) as (keyof OrderEventDto)[];

/** An event as every driver returns it. */
export type EventRow = Omit<OrderEventDto, 'data' | 'actor'> & {
  data: string;
  actor: string | null;
  seq: string | number;
};

/**
 * @param id the id of the new event; if the stored event has another id, the event is repeated
 * @returns the event, or the first one with its key
 */
export async function insertEvent(
  manager: EntityManager,
  { projectId, orderId }: OrderKey,
  id: string,
  event: CheckedOrderEvent,
): Promise<RecordedOrderEvent> {
  const dialect = dialectIn(manager);
  const { nextNumber } = dialect;
  const now = (): string => dialect.now;
  const insert = manager
    .createQueryBuilder()
    .insert()
    .into(OrderEvent)
    .values({
      projectId,
      orderId,
      id,
      type: event.type,
      message: event.message,
      data: event.data,
      actor: event.actor,
      dedupeKey: event.dedupe_key,
      occurredAt: () => `COALESCE(:occurredAt, ${now()})`,
      recordedAt: now,
      ...(nextNumber && { seq: () => nextNumber(tableOf(manager), 'seq') }),
    } satisfies Record<Exclude<keyof OrderEvent, 'seq'>, unknown>)
    .setParameter('occurredAt', event.occurred_at && dialect.timeParameter(event.occurred_at))
    .updateEntity(false);
  if (returnsRow(manager))
    insert.returning(columnNames.map((name) => `${returnedSql(manager, name)} AS ${name}`).join(', '));
  /** @param ignoresDuplicates whether the call returns the stored event when a unique index refuses the new row */
  const tryInsert = async (ignoresDuplicates: boolean): Promise<EventRow | undefined> => {
    // On PostgreSQL, an INSERT that fails ends the transaction of the caller.
    insert.orIgnore(ignoresDuplicates && dialect.failureEndsTransaction);
    const { raw } = await insert.execute().catch((error: unknown) => {
      if (ignoresDuplicates && isDuplicate(error)) return { raw: undefined };
      // Another call has recorded the key, after the event that had it was removed.
      throw isDuplicate(error, dedupeIndex) ? lostRaceError(error) : error;
    });
    const [inserted] = Array.isArray(raw) ? (raw as EventRow[]) : [];
    const { insertId: seq } = Object(raw) as { insertId?: number };
    if (inserted) return asSelected(manager, inserted);
    return storedEvent(manager, { projectId, orderId }, { id, seq }, event.dedupe_key);
  };
  let stored: EventRow | undefined;
  if (event.dedupe_key !== null) stored = await tryInsert(true);
  // With a key, the first INSERT may add nothing, although no event has the key. The second one then throws the error of
  // an index of the host.
  stored ??= await tryInsert(false);
  if (stored) return { ...eventOf(stored), repeated: stored.id !== id };
  throw new Error('The database has not stored the event. A trigger may have prevented it.');
}

/** Returns whether an INSERT returns the new row. Otherwise a second statement reads it. */
export function returnsRow(manager: EntityManager): boolean {
  return dataSourceOf(manager).driver.isReturningSqlSupported('insert');
}

/**
 * @param seq the number that MySQL gave the new row; undefined for other drivers
 * @returns the event that was inserted, or the event that has its key; undefined if that event has been removed by now
 */
async function storedEvent(
  manager: EntityManager,
  { projectId, orderId }: OrderKey,
  { id, seq }: { id: string; seq: number | undefined },
  dedupeKey: string | null,
): Promise<EventRow | undefined> {
  const { readsFromSnapshot, shareLock } = dialectIn(manager);
  // No index has the id. Without the number, MySQL would read the whole history.
  const isInserted = seq === undefined ? 'e.id = :id' : 'e.id = :id AND e.seq = :seq';
  const isStored = dedupeKey === null ? isInserted : 'e.dedupe_key = :dedupeKey';
  const condition = `e.project_id = :projectId AND e.order_id = :orderId AND ${isStored}`;
  const values = { projectId, orderId, dedupeKey, id, seq };
  const { records } = await runCached<EventRow>(manager, OrderEvent, condition, values, () => {
    const select = selectEvents(manager).where(condition).getQuery();
    // Another call may have stored the key after the snapshot of the transaction. Only a read that locks finds this row.
    // Without a key, the transaction reads its own row, and must not lock it: on MySQL, it would also lock the end of the
    // index on `seq`, for which every other INSERT would wait.
    return { getQuery: () => select + (readsFromSnapshot && dedupeKey !== null ? shareLock : '') };
  });
  return records[0];
}

/** Reads events in the order of the primary key. */
export async function readEvents(
  manager: EntityManager,
  { projectId, orderId }: OrderKey,
  { limit, types, excludeTypes = [], newestFirst = false, after }: EventRange,
): Promise<EventRow[]> {
  // SQL has no empty list.
  if (types?.length === 0) return [];
  const values = {
    projectId,
    orderId,
    types,
    excludeTypes,
    ...positionValues(manager, 'after', after),
  };
  const name = [
    'events',
    limit ?? 'all',
    types && 'types',
    excludeTypes.length > 0 && 'other types',
    newestFirst && 'newest first',
    after && 'after',
  ].join(' ');
  const { records } = await runCached<EventRow>(manager, OrderEvent, name, values, () => {
    const direction = newestFirst ? 'DESC' : 'ASC';
    const query = selectEvents(manager).where('e.project_id = :projectId AND e.order_id = :orderId');
    if (types) query.andWhere('e.type IN (:...types)');
    if (excludeTypes.length > 0) query.andWhere('e.type NOT IN (:...excludeTypes)');
    if (after) query.andWhere(isBeyond(newestFirst ? '<' : '>', 'after'));
    return query.orderBy('e.occurred_at', direction).addOrderBy('e.seq', direction).limit(limit);
  });
  return records;
}

function selectEvents(manager: EntityManager) {
  const query = manager
    .createQueryBuilder(OrderEvent, 'e')
    .select(dialectIn(manager).valueColumn('e.seq'), 'seq');
  for (const name of columnNames) query.addSelect(columnSql(manager, name, `e.${name}`), name);
  return query;
}

function columnSql(manager: EntityManager, name: keyof OrderEventDto, column: string = name): string {
  const dialect = dialectIn(manager);
  return columns[name] === 'time' ? dialect.timeColumn(column) : dialect.valueColumn(column);
}

function returnedSql(manager: EntityManager, name: keyof OrderEventDto): string {
  const { returnedTime } = dialectIn(manager);
  return returnedTime && columns[name] === 'time' ? returnedTime(name) : columnSql(manager, name);
}

/** Returns the row of an INSERT as a SELECT would return it. */
function asSelected(manager: EntityManager, row: EventRow): EventRow {
  if (!dialectIn(manager).returnedTime) return row;
  const timeOf = (milliseconds: string): string => new Date(Number(milliseconds)).toISOString();
  return { ...row, occurred_at: timeOf(row.occurred_at), recorded_at: timeOf(row.recorded_at) };
}

function tableOf(manager: EntityManager): string {
  const dataSource = dataSourceOf(manager);
  return quotedPath(dataSource, dataSource.getMetadata(OrderEvent).tablePath);
}

export function eventOf(row: EventRow): OrderEventDto {
  return {
    id: row.id,
    project_id: row.project_id,
    order_id: row.order_id,
    type: row.type,
    message: row.message,
    data: JSON.parse(row.data) as OrderEventDto['data'],
    actor: row.actor === null ? null : (JSON.parse(row.actor) as OrderEventDto['actor']),
    occurred_at: row.occurred_at,
    recorded_at: row.recorded_at,
  };
}
