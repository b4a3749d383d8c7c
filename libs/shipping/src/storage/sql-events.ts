import { v7 as uuid } from 'uuid';
import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { type CheckedOrderEvent } from '../order-events/dto/record-order-event.dto.js';
import { OrderEvent } from '../order-events/order-event.entity.js';
import { type Script, type Statements } from './scripts.js';
import { EventStore } from './shipping-storage.js';
import { type Dialect, type ValueKind } from './shown.js';
import { DatabaseUnavailableError } from './storage.errors.js';
import { type Scope } from './transactions.js';
import { eventJson } from './wire-json.js';

/** It bounds the memory that a long history takes. One row more is read, to know if there is a next batch. */
const batchSize = 200;

/** What is given with an event. */
const given = {
  id: 'id',
  project_id: 'code',
  order_id: 'code',
  dedupe_key: 'code',
  type: 'code',
  message: 'label',
  data: 'json',
  actor: 'json',
} as const satisfies Partial<Record<keyof (OrderEventDto & CheckedOrderEvent), ValueKind>>;

/** What the engines say differently about events. */
export interface EventDialect extends Dialect {
  /** The time by the clock of the database. It is the same in the whole statement. */
  now: string;
  /** What an INSERT says of its values. In the scope `shared`, it fails soon where it would wait for a lock. */
  given(values: string, scope: Scope): string;
  /** Whether an INSERT in the scope `shared` waits for the transaction that holds its key. */
  waitsForKeys: boolean;
  /** What an INSERT says to add nothing when the key is taken. Without it the statement fails. */
  orNothing: string;
  /** Whether an INSERT gives something back. */
  returns: boolean;
  /** What a SELECT ends with to see what is committed now, though the caller's snapshot is older. */
  newest: string;
  /** The place of a new event in all events; undefined: the database numbers them. */
  nextSeq?(events: string): string;
}

/** The events in an engine of SQL. */
export class SqlEvents extends EventStore {
  private readonly json: string;

  constructor(
    private readonly statements: Statements,
    private readonly dialect: EventDialect,
  ) {
    super();
    this.json = eventJson(dialect);
  }

  async append(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto> {
    if (scope === 'shared' && event.dedupe_key !== null && this.dialect.waitsForKeys)
      throw new DatabaseUnavailableError(new Error('Another transaction may hold the key.'), 'lock');
    const sent = { id: uuid(), ...event };
    const json = await this.statements.run(scope, () => this.appended(sent, scope));
    return JSON.parse(json) as OrderEventDto;
  }

  async batch(
    projectId: string,
    orderId: string,
    after: string[] | undefined,
    scope: Scope,
  ): Promise<{ text: string; next?: string[] }> {
    const { all: values, bind } = this.dialect.values();
    const ofOrder = `project_id = ${bind(projectId, 'code')} AND order_id = ${bind(orderId, 'code')}`;
    const [time, seq] = after ?? [];
    const isLater =
      after &&
      `AND occurred_at >= ${bind(time, 'time')} AND (occurred_at > ${bind(time, 'time')} OR seq > ${bind(seq, 'bigint')})`;
    const rows = await this.statements.send(scope, {
      sql: `SELECT ${this.dialect.concat(['seq'])} AS place, ${this.json} AS json FROM ${this.events}
        WHERE ${ofOrder} ${isLater ?? ''} ORDER BY occurred_at, seq LIMIT ${batchSize + 1}`,
      values,
    });
    const batch = rows.slice(0, batchSize).map(({ json }) => String(json));
    const last = rows.length > batchSize ? rows[batchSize - 1] : undefined;
    const next = last && [
      (JSON.parse(String(last['json'])) as OrderEventDto).occurred_at,
      String(last['place']),
    ];
    return { text: batch.join(','), next };
  }

  /** @returns the JSON of the event, or of the first one with its key */
  private *appended(event: CheckedOrderEvent & { id: string }, scope: Scope): Script<string> {
    const inserted = yield* this.inserted(event, scope);
    if (inserted !== undefined) return inserted;
    const { all: values, bind } = this.dialect.values();
    const key = event.dedupe_key === null ? 'id' : 'dedupe_key';
    // A search by the id has no index: it would lock the whole history.
    const end = key === 'id' ? '' : this.dialect.newest;
    const { rows } = yield {
      sql: `SELECT ${this.json} AS json FROM ${this.events} WHERE project_id = ${bind(event.project_id, 'code')}
        AND order_id = ${bind(event.order_id, 'code')} AND ${key} = ${bind(event[key], given[key])} ${end}`,
      values,
    };
    if (!rows[0]) throw new Error('An event was neither appended nor found by its dedupeKey.');
    return String(rows[0]['json']);
  }

  /** @returns its JSON; undefined if an event has the key already, or the engine gives nothing back */
  private *inserted(event: CheckedOrderEvent & { id: string }, scope: Scope): Script<string | undefined> {
    const { now, orNothing, returns, nextSeq } = this.dialect;
    const { all: values, bind } = this.dialect.values();
    const names = Object.keys(given) as (keyof typeof given)[];
    const columns = {
      ...Object.fromEntries(names.map((name) => [name, bind(event[name], given[name])])),
      occurred_at: `COALESCE(${bind(event.occurred_at, 'time')}, ${now})`,
      recorded_at: now,
      ...(nextSeq && { seq: nextSeq(this.events) }),
    };
    try {
      const { rows } = yield {
        sql: `INSERT INTO ${this.events} (${Object.keys(columns).join(', ')})
          ${this.dialect.given(Object.values(columns).join(', '), scope)}
          ${orNothing} ${returns ? `RETURNING ${this.json} AS json` : ''}`,
        values,
        writes: true,
      };
      return rows[0] && String(rows[0]['json']);
    } catch (error) {
      if (!this.statements.isDuplicate(error, 'uq_shipping_order_event_dedupe_key', 'dedupe_key'))
        throw error;
      return undefined;
    }
  }

  private get events(): string {
    return this.statements.table(OrderEvent);
  }
}
