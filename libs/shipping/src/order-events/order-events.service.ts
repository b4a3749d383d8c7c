import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { type CallOptions, Database } from '../database/database.js';
import { ifAbsent, isMysql, isSqlite, nowIn, selectable, timeParameter } from '../database/engines/engine.js';
import { KeyedQueue } from '../database/keyed-queue.js';
import { checkedFor, checkIdentifier } from '../validation/identifiers.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import {
  type CheckedOrderEvent,
  checkOrderEvent,
  type RecordOrderEvent,
} from './dto/record-order-event.dto.js';
import { OrderEvent } from './order-event.entity.js';

/** It bounds the memory that a long history takes. */
const batchSize = 200;

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

type Row = Record<(typeof columns)[number] | 'seq', unknown>;

/** The histories of orders: append-only, oldest first. */
@Injectable()
export class OrderEvents {
  /** An open transaction may hold a key or a lock: of the events of a project that wait for it, one takes a connection. */
  private readonly queue = new KeyedQueue();

  constructor(@Inject(Database) private readonly database: Database) {}

  /**
   * Appends an event. In a transaction of the caller, the event exists if, and only if, that transaction commits.
   * @returns the event; with a `dedupeKey` that the order already has, the first event recorded under it
   * @throws ValidationFailedError, InvalidParameterError
   */
  async record(event: RecordOrderEvent, options: CallOptions = {}): Promise<OrderEventDto> {
    const checked = checkOrderEvent(event);
    const joined = this.database.joined(options);
    const append = (): Promise<OrderEventDto> =>
      this.database.append(joined, (manager) => appended(manager, checked));
    return joined ? append() : this.queue.take(checked.project_id, append);
  }

  /** The whole history in memory. For a long history use `stream`. An unknown order has no events. */
  async list(projectId: string, orderId: string, options: CallOptions = {}): Promise<OrderEventDto[]> {
    const events: OrderEventDto[] = [];
    for await (const event of this.stream(projectId, orderId, options)) events.push(event);
    return events;
  }

  /** The whole history, oldest first, in bounded memory. No connection is held between two batches. */
  stream(
    projectId: string,
    orderId: string,
    options: CallOptions = {},
  ): AsyncGenerator<OrderEventDto, void, undefined> {
    // Asked for here: when the first event is read, another ambient transaction may be open.
    return each(this.batches(projectId, orderId, this.database.joined(options)));
  }

  /** The JSON of the route, a piece for each batch. The last piece is returned. */
  async *json(projectId: string, orderId: string): AsyncGenerator<string, string, undefined> {
    let text = '';
    for await (const batch of this.batches(projectId, orderId, this.database.joined({}))) {
      if (text) yield text;
      text = (text ? ',' : '{"data":[') + batch.map((event) => JSON.stringify(event)).join(',');
    }
    return `${text}]}`;
  }

  /** Every event that was committed before the call comes exactly once. No batch but the only one is empty. */
  private async *batches(
    projectId: string,
    orderId: string,
    joined: EntityManager | undefined,
  ): AsyncGenerator<OrderEventDto[], void, undefined> {
    checkedFor(projectId, (violations) => checkIdentifier(violations, 'order_id', orderId));
    let after: Row | undefined;
    do {
      const rows = await this.database.read(joined, (manager) => batchOf(manager, projectId, orderId, after));
      yield rows.slice(0, batchSize).map(eventOf);
      after = rows.length > batchSize ? rows[batchSize - 1] : undefined;
    } while (after);
  }
}

async function* each(
  batches: AsyncGenerator<OrderEventDto[]>,
): AsyncGenerator<OrderEventDto, void, undefined> {
  for await (const batch of batches) yield* batch;
}

/** @returns the event, or the first one with its key */
async function appended(manager: EntityManager, event: CheckedOrderEvent): Promise<OrderEventDto> {
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
  const [inserted] = Array.isArray(raw) ? (raw as Row[]) : [];
  if (inserted) return eventOf(inserted);
  const query = selected(manager).where('e.project_id = :projectId AND e.order_id = :orderId', key);
  if (event.dedupe_key === null) query.andWhere('e.id = :id', { id: row.id });
  else {
    query.andWhere('e.dedupe_key = :dedupeKey', { dedupeKey: event.dedupe_key });
    // Only a read that locks finds a row there that is newer than the snapshot of the transaction.
    if (isMysql(manager) && manager.queryRunner?.isTransactionActive) query.setLock('pessimistic_write');
  }
  const found = await query.getRawOne<Row>();
  if (!found) throw new Error('An event was neither appended nor found by its dedupeKey.');
  return eventOf(found);
}

function batchOf(
  manager: EntityManager,
  projectId: string,
  orderId: string,
  after: Row | undefined,
): Promise<Row[]> {
  const query = selected(manager)
    .addSelect(selectable(manager, 'e.seq'), 'seq')
    .where('e.project_id = :projectId AND e.order_id = :orderId', { projectId, orderId });
  if (after)
    query.andWhere('e.occurred_at >= :time AND (e.occurred_at > :time OR e.seq > :seq)', {
      time: timeParameter(manager, String(after.occurred_at)),
      seq: isSqlite(manager) ? Number(after.seq) : after.seq,
    });
  return query
    .orderBy('e.occurred_at')
    .addOrderBy('e.seq')
    .limit(batchSize + 1)
    .getRawMany<Row>();
}

function selected(manager: EntityManager) {
  const query = manager.createQueryBuilder(OrderEvent, 'e').select([]);
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

function eventOf(row: Row): OrderEventDto {
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
