import { type OrderEventType } from '../order-event-types.js';
import { type OrderEventDto } from './order-event.dto.js';

/** Which page of a history `OrderEventsService.list()` reads. */
export interface OrderEventQuery {
  /**
   * The largest number of events on the page, 1 to 200.
   * @default 50
   */
  limit?: number | undefined;
  /** Reads only events of these types, at most 50. By default, events of all types are read. */
  types?: readonly OrderEventType[] | undefined;
  /** Leaves out events of these types, at most 50. It cannot be combined with `types`. */
  excludeTypes?: readonly OrderEventType[] | undefined;
  /**
   * `true`: the newest event comes first. `false`: the oldest event comes first, as on the route.
   * @default false
   */
  newestFirst?: boolean | undefined;
  /** The `next` of the page before. By default, the first page is read. */
  cursor?: string | null | undefined;
}

/** One page of the history of an order. */
export interface OrderEventPage {
  /** The events of this page. */
  readonly data: readonly OrderEventDto[];
  /** The `cursor` of the next page; null when there was no further event. */
  readonly next: string | null;
}
