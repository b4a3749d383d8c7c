import { v7 as uuid } from 'uuid';
import { type OrderEventDto } from '../../order-events/dto/order-event.dto.js';
import { type CheckedOrderEvent } from '../../order-events/dto/record-order-event.dto.js';
import { OrderEvent } from '../../order-events/order-event.entity.js';
import { EventStore } from '../shipping-storage.js';
import { DatabaseUnavailableError } from '../storage.errors.js';
import { type Scope } from '../transactions.js';
import { columnTime, type RowDialect, wireTime } from './row-dialect.js';
import { jsonObject } from './row-json.js';
import { type Row, type Script, type Scripts } from './scripts.js';

/** It bounds the memory that a long history takes. One row more is read, to know if there is a next batch. */
const batchSize = 200;

/** The JSON of an event, as the wire has it, made of a row. */
const eventJson = jsonObject({
  id: ({ id }) => JSON.stringify(id),
  project_id: ({ project_id }) => JSON.stringify(project_id),
  order_id: ({ order_id }) => JSON.stringify(order_id),
  type: ({ type }) => JSON.stringify(type),
  message: ({ message }) => JSON.stringify(message),
  data: ({ data }) => String(data),
  actor: ({ actor }) => String(actor),
  occurred_at: ({ occurred_at }) => JSON.stringify(wireTime(occurred_at)),
  recorded_at: ({ recorded_at }) => JSON.stringify(wireTime(recorded_at)),
} satisfies Record<keyof OrderEventDto, (row: Row) => string>);

/** The events of an engine that stores one row with each statement. */
export class RowEvents extends EventStore {
  constructor(
    private readonly scripts: Scripts,
    private readonly dialect: RowDialect,
  ) {
    super();
  }

  override append(event: CheckedOrderEvent, scope: Exclude<Scope, 'shared'>): Promise<OrderEventDto>;
  override append(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto | 'lost'>;
  async append(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto | 'lost'> {
    // It may wait for a transaction that holds its key.
    if (scope === 'shared' && event.dedupe_key !== null) return 'lost';
    try {
      return await this.scripts.write(scope, () => this.appended(event));
    } catch (error) {
      const isBusy = error instanceof DatabaseUnavailableError && error.contention;
      if (scope === 'shared' && isBusy) return 'lost';
      throw error;
    }
  }

  private *appended(event: CheckedOrderEvent): Script<OrderEventDto> {
    const { rows } = yield { sql: `SELECT ${this.dialect.timeText(this.dialect.now)} AS now`, values: [] };
    const { data, actor, occurred_at, ...texts } = event;
    const recorded_at = rows[0]?.['now'];
    const row: Row = {
      id: uuid(),
      ...texts,
      data: JSON.stringify(data),
      actor: actor && JSON.stringify(actor),
      occurred_at: occurred_at === null ? recorded_at : columnTime(occurred_at),
      recorded_at,
    };
    const seq = this.dialect.nextSeq?.(this.events);
    const columns = [...Object.keys(row), ...(seq ? ['seq'] : [])];
    const values = [...Object.keys(row).map(() => '?'), ...(seq ? [seq] : [])];
    try {
      yield {
        sql: `INSERT INTO ${this.events} (${columns.join(', ')}) VALUES (${values.join(', ')})`,
        values: Object.values(row),
      };
      return eventOf(row);
    } catch (error) {
      if (!this.scripts.isDuplicate(error, 'uq_shipping_order_event_dedupe_key', 'dedupe_key')) throw error;
    }
    const first = yield {
      sql: `SELECT ${this.columns} FROM ${this.events} AS e
        WHERE e.project_id = ? AND e.order_id = ? AND e.dedupe_key = ? ${this.dialect.newest}`,
      values: [event.project_id, event.order_id, event.dedupe_key],
    };
    if (!first.rows[0]) throw new Error('An event was neither appended nor found by its dedupeKey.');
    return eventOf(first.rows[0]);
  }

  batch(
    projectId: string,
    orderId: string,
    after: string[] | undefined,
    scope: Scope,
  ): Promise<{ text: string; next?: string[] }> {
    return this.scripts.read(scope, () => this.batched(projectId, orderId, after));
  }

  private *batched(
    projectId: string,
    orderId: string,
    after: string[] = [],
  ): Script<{ text: string; next?: string[] }> {
    const [time, seq] = after;
    const { rows } = yield {
      sql: `SELECT ${this.columns} FROM ${this.events} AS e WHERE e.project_id = ? AND e.order_id = ?
        ${time === undefined ? '' : 'AND e.occurred_at >= ? AND (e.occurred_at > ? OR e.seq > ?)'}
        ORDER BY e.occurred_at, e.seq LIMIT ${batchSize + 1}`,
      values: [projectId, orderId, ...(time === undefined ? [] : [time, time, Number(seq)])],
    };
    const batch = rows.slice(0, batchSize);
    const last = rows.length > batchSize ? batch.at(-1) : undefined;
    const next = last && [String(last['occurred_at']), String(last['seq'])];
    return { text: batch.map(eventJson).join(','), next };
  }

  private get columns(): string {
    const times = ['occurred_at', 'recorded_at'].map(
      (name) => `${this.dialect.timeText(`e.${name}`)} AS ${name}`,
    );
    return `e.id, e.project_id, e.order_id, e.seq, e.type, e.message, e.data, e.actor, ${times.join(', ')}`;
  }

  private get events(): string {
    return this.scripts.table(OrderEvent);
  }
}

function eventOf(row: Row): OrderEventDto {
  return JSON.parse(eventJson(row)) as OrderEventDto;
}
