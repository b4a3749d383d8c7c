import { v7 as uuid } from 'uuid';
import { type OrderEventDto } from '../../order-events/dto/order-event.dto.js';
import { type CheckedOrderEvent } from '../../order-events/dto/record-order-event.dto.js';
import { OrderEvent } from '../../order-events/order-event.entity.js';
import { EventStore } from '../shipping-storage.js';
import { DatabaseUnavailableError } from '../storage.errors.js';
import { type Scope } from '../transactions.js';
import { type Postgres } from './postgres.js';
import { impatience, jsonObject, jsonOf, jsonQuoted, jsonTime } from './sql.js';

/** It bounds the memory that a long history takes. One row more is read, to know if there is a next batch. */
const batchSize = 200;

/** An event `e`, as the wire has it. */
const eventJson = jsonObject({
  id: jsonQuoted('e.id'),
  project_id: jsonQuoted('e.project_id'),
  order_id: jsonQuoted('e.order_id'),
  type: jsonQuoted('e.type'),
  message: jsonOf('e.message'),
  data: 'e.data',
  actor: `COALESCE(e.actor::text, 'null')`,
  occurred_at: jsonTime('e.occurred_at'),
  recorded_at: jsonTime('e.recorded_at'),
} satisfies Record<keyof OrderEventDto, string>);

const recorded = 'project_id, order_id, dedupe_key, id, type, message, data, actor';

export class PostgresEvents extends EventStore {
  constructor(private readonly postgres: Postgres) {
    super();
  }

  override append(event: CheckedOrderEvent, scope: Exclude<Scope, 'shared'>): Promise<OrderEventDto>;
  override append(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto | 'lost'>;
  async append(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto | 'lost'> {
    try {
      const [row] = await this.postgres.write<{ json: string }>(
        `WITH e AS (
           INSERT INTO ${this.events} (${recorded}, occurred_at, recorded_at)
           SELECT ${recorded}, COALESCE(sent.occurred_at, now.at), now.at
           FROM json_populate_record(NULL::${this.events}, $1::json) AS sent,
             (SELECT clock_timestamp() AS at) AS now ${scope === 'shared' ? `, ${impatience}` : ''}
           ON CONFLICT (project_id, order_id, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
           RETURNING *
         ) SELECT ${eventJson} AS json FROM e`,
        [JSON.stringify({ id: uuid(), ...event })],
        scope,
      );
      return row ? parsed(row.json) : await this.firstOf(event, scope);
    } catch (error) {
      const isBusy = error instanceof DatabaseUnavailableError && error.contention;
      if (scope === 'shared' && isBusy) return 'lost';
      throw error;
    }
  }

  async batch(
    projectId: string,
    orderId: string,
    after: string[] = ['-infinity', '0'],
    scope: Scope,
  ): Promise<{ text: string; next?: string[] }> {
    const rows = await this.postgres.read<{ json: string; seq: string }>(
      `SELECT ${eventJson} AS json, e.seq::text AS seq FROM ${this.events} AS e
       WHERE e.project_id = $1 AND e.order_id = $2 AND (e.occurred_at, e.seq) > ($3::timestamptz, $4::bigint)
       ORDER BY e.occurred_at, e.seq LIMIT ${batchSize + 1}`,
      [projectId, orderId, ...after],
      scope,
    );
    const batch = rows.slice(0, batchSize);
    const last = rows.length > batchSize ? batch.at(-1) : undefined;
    const next = last && [parsed(last.json).occurred_at, last.seq];
    return { text: batch.map(({ json }) => json).join(','), next };
  }

  private async firstOf(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto> {
    const [first] = await this.postgres.read<{ json: string }>(
      `SELECT ${eventJson} AS json FROM ${this.events} AS e
       WHERE e.project_id = $1 AND e.order_id = $2 AND e.dedupe_key = $3`,
      [event.project_id, event.order_id, event.dedupe_key],
      scope,
    );
    if (!first) throw new Error('An event was neither appended nor found by its dedupeKey.');
    return parsed(first.json);
  }

  private get events(): string {
    return this.postgres.table(OrderEvent);
  }
}

function parsed(json: string): OrderEventDto {
  return JSON.parse(json) as OrderEventDto;
}
