import { type EntityManager } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { DatabaseUnavailableError } from '../database/database.errors.js';
import {
  ifAbsent,
  isSqlite,
  keepsSnapshot,
  nowIn,
  selectable,
  timeParameter,
} from '../database/engines/engine.js';
import { run } from '../database/statement.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { type CheckedOrderEvent } from './dto/record-order-event.check.js';
import { OrderEvent } from './order-event.entity.js';

// All that is read and written of events. Columns have the names of the wire.

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

/** @returns the event, or the first one with its key */
export async function insertEvent(manager: EntityManager, event: CheckedOrderEvent): Promise<OrderEventDto> {
  const { driver } = manager.connection;
  const now = (): string => nowIn(manager);
  const key = { projectId: event.project_id, orderId: event.order_id };
  const row = {
    ...key,
    id: uuid(),
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
  const { raw } = await insert.execute();
  const [inserted] = Array.isArray(raw) ? (raw as EventRow[]) : [];
  if (inserted) return eventOf(inserted);
  const query = selected(manager).where('e.project_id = :projectId AND e.order_id = :orderId', key);
  if (event.dedupe_key === null) query.andWhere('e.id = :id', { id: row.id });
  else {
    query.andWhere('e.dedupe_key = :dedupeKey', { dedupeKey: event.dedupe_key });
    // Only a read that locks finds a row that is newer than the snapshot of the transaction.
    if (keepsSnapshot(manager) && manager.queryRunner?.isTransactionActive)
      query.setLock('pessimistic_write');
  }
  const found = await query.getRawOne<EventRow>();
  // The snapshot of the caller's transaction is older than the event that has the key.
  if (!found) throw new DatabaseUnavailableError(new Error('Another transaction has the dedupeKey.'), 'race');
  return eventOf(found);
}

/** @param after the last one of the batch before */
export async function readEvents(
  manager: EntityManager,
  { projectId, orderId }: Required<EventsOf>,
  limit: number,
  after: EventRow | undefined,
): Promise<EventRow[]> {
  const values = { projectId, orderId, ...(after && placeOf(manager, after)) };
  const name = `events ${limit}${after ? ' after' : ''}`;
  const { records } = await run<EventRow>(manager, OrderEvent, name, values, () => {
    const query = selected(manager).where('e.project_id = :projectId AND e.order_id = :orderId');
    if (after) query.andWhere('e.occurred_at >= :time AND (e.occurred_at > :time OR e.seq > :seq)');
    return query.orderBy('e.occurred_at').addOrderBy('e.seq').limit(limit);
  });
  return records;
}

/**
 * Deletes events in the order of their key.
 * @param limit at most about so many; by default all
 * @returns how many were deleted
 */
export async function deleteEvents(
  manager: EntityManager,
  { projectId, orderId }: EventsOf,
  limit?: number,
): Promise<number> {
  const [ofProject, ofOrder] = ['project_id = :projectId', 'order_id = :orderId'];
  const remove = manager.createQueryBuilder().delete().from(OrderEvent).where(ofProject, { projectId });
  if (orderId !== undefined) remove.andWhere(ofOrder, { orderId });
  if (limit !== undefined) {
    const query = selected(manager).where(`e.${ofProject}`, { projectId });
    if (orderId !== undefined) query.andWhere(`e.${ofOrder}`, { orderId });
    const last = await query
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
  return affected ?? 0;
}

/** The place of an event in the history of its order, as parameters. */
function placeOf(manager: EntityManager, { occurred_at, seq }: EventRow) {
  const time = timeParameter(manager, String(occurred_at));
  return { time, seq: isSqlite(manager) ? Number(seq) : seq };
}

function selected(manager: EntityManager) {
  const query = manager.createQueryBuilder(OrderEvent, 'e').select(selectable(manager, 'e.seq'), 'seq');
  // Your DataSource may answer queries from a cache of TypeORM.
  query.cache(false);
  for (const name of columns) query.addSelect(read(manager, name, `e.${name}`), name);
  return query;
}

function read(manager: EntityManager, name: (typeof columns)[number], column: string = name): string {
  return selectable(manager, column, name.endsWith('_at'));
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
