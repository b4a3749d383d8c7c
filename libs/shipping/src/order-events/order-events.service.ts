import { Inject } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { type CallOptions, Database, forMany } from '../database/database.js';
import { isLost } from '../database/database.errors.js';
import { impatience } from '../database/keyed-queue.js';
import { jsonObject, jsonOf, jsonQuoted, jsonTime } from '../database/json.js';
import { Faults } from '../validation/faults.js';
import { checkIdentifier } from '../validation/identifiers.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { checkOrderEvent, type RecordOrderEvent } from './dto/record-order-event.dto.js';
import { OrderEvent } from './order-event.entity.js';

/** Rows read at once: what bounds the memory of a long history. */
const batchSize = 200;

/** An event, of the events `e`, as the wire has it. */
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

interface EventRow {
  json: string;
  /** Its place among those of the same time. */
  seq: string;
}

/** The histories of orders: append-only, oldest first. */
export class OrderEvents {
  constructor(@Inject(Database) private readonly database: Database) {}

  /**
   * Appends an event, in the caller's transaction when one is given: then it exists if, and only if, that
   * transaction commits.
   * @returns the event; with a `dedupeKey` that the order already has, the first event recorded under it
   * @throws ValidationFailedError, InvalidParameterError
   */
  async record(event: RecordOrderEvent, options: CallOptions = {}): Promise<OrderEventDto> {
    const checked = checkOrderEvent(event);
    const { project_id, order_id, dedupe_key } = checked;
    const within = this.database.settled(options);
    const append = (patience = ''): Promise<{ json: string }[]> =>
      this.database.write(
        `WITH e AS (
           INSERT INTO ${this.events} (${recorded}, occurred_at, recorded_at)
           SELECT ${recorded}, COALESCE(sent.occurred_at, now.at), now.at
           FROM json_populate_record(NULL::${this.events}, $1::json) AS sent, (SELECT clock_timestamp() AS at) AS now ${patience}
           ON CONFLICT (project_id, order_id, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
           RETURNING *
         ) SELECT ${eventJson} AS json FROM e`,
        [JSON.stringify({ id: uuid(), ...checked })],
        within,
      );
    const { queue } = this.database;
    // What would wait for a lock waits in line, with those of its order and then of its project.
    const inLine = (): Promise<{ json: string }[]> =>
      append(`, ${impatience}`).catch((error: unknown) => {
        if (!isLost(error)) throw error;
        return queue.take(`events ${project_id}`, () => append());
      });
    const [row] = await (within === forMany
      ? queue.take(`events ${project_id} ${order_id}`, inLine)
      : append());
    if (row) return JSON.parse(row.json) as OrderEventDto;
    const [first] = await this.database.read<{ json: string }>(
      `SELECT ${eventJson} AS json FROM ${this.events} AS e
       WHERE e.project_id = $1 AND e.order_id = $2 AND e.dedupe_key = $3`,
      [project_id, order_id, dedupe_key],
      within,
    );
    if (!first) throw new Error('An event was neither appended nor found by its dedupeKey.');
    return JSON.parse(first.json) as OrderEventDto;
  }

  /** The whole history in memory; for a long one take `stream`. An unknown order has no events. */
  async list(projectId: string, orderId: string, options: CallOptions = {}): Promise<OrderEventDto[]> {
    const events: OrderEventDto[] = [];
    for await (const event of this.stream(projectId, orderId, options)) events.push(event);
    return events;
  }

  /** The whole history, oldest first, in bounded memory; no connection is held between two batches. */
  async *stream(
    projectId: string,
    orderId: string,
    options: CallOptions = {},
  ): AsyncGenerator<OrderEventDto, void, undefined> {
    for await (const batch of this.batches(projectId, orderId, options)) {
      yield* JSON.parse(`[${batch}]`) as OrderEventDto[];
    }
  }

  /** The answer of the route, a piece for each batch, the last one returned: nothing is parsed to be written again. */
  async *json(projectId: string, orderId: string): AsyncGenerator<string, string, undefined> {
    let json = '';
    for await (const batch of this.batches(projectId, orderId, {})) {
      if (json) yield json;
      json = (json ? ',' : '{"data":[') + batch;
    }
    return `${json || '{"data":['}]}`;
  }

  /** JSON of events, with commas between. Every event that was committed before the call comes exactly once. */
  private async *batches(
    projectId: string,
    orderId: string,
    options: CallOptions,
  ): AsyncGenerator<string, void, undefined> {
    const faults = new Faults();
    checkIdentifier(faults, 'project_id', projectId);
    checkIdentifier(faults, 'order_id', orderId);
    faults.throwIfAny();
    let after = ['-infinity', '0'];
    for (;;) {
      const rows = await this.database.read<EventRow>(
        `SELECT ${eventJson} AS json, e.seq::text AS seq FROM ${this.events} AS e
         WHERE e.project_id = $1 AND e.order_id = $2 AND (e.occurred_at, e.seq) > ($3::timestamptz, $4::bigint)
         ORDER BY e.occurred_at, e.seq LIMIT ${batchSize}`,
        [projectId, orderId, ...after],
        options,
      );
      const last = rows.at(-1);
      if (last) yield rows.map(({ json }) => json).join(',');
      if (!last || rows.length < batchSize) return;
      after = [(JSON.parse(last.json) as OrderEventDto).occurred_at, last.seq];
    }
  }

  private get events(): string {
    return this.database.table(OrderEvent);
  }
}
