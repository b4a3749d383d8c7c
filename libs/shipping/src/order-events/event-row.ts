import { milliseconds, wireTime } from '../database/wire-time.js';
import { type OrderEventDto } from './dto/order-event.dto.js';

/** The columns of an `EventRow`, of the events `e`. */
export const eventColumns = `e.id, e.project_id, e.order_id, e.type, e.message, e.data::text AS data,
  e.actor::text AS actor, ${milliseconds('e.occurred_at')} AS occurred_at,
  ${milliseconds('e.recorded_at')} AS recorded_at, e.seq::text AS seq`;

export interface EventRow {
  id: string;
  project_id: string;
  order_id: string;
  type: string;
  message: string | null;
  /** JSON text. */
  data: string;
  /** JSON text. */
  actor: string | null;
  /** Milliseconds since 1970. */
  occurred_at: number;
  /** Milliseconds since 1970. */
  recorded_at: number;
  seq: string;
}

/** The one mapping from row to wire. What is JSON in the database already is not parsed to be written again. */
export function jsonOf(row: EventRow): string {
  return (
    `{"id":"${row.id}","project_id":"${row.project_id}","order_id":"${row.order_id}","type":"${row.type}",` +
    `"message":${JSON.stringify(row.message)},"data":${row.data},"actor":${row.actor},` +
    `"occurred_at":"${wireTime(row.occurred_at)}","recorded_at":"${wireTime(row.recorded_at)}"}`
  );
}

export function eventOf(row: EventRow): OrderEventDto {
  return JSON.parse(jsonOf(row)) as OrderEventDto;
}
