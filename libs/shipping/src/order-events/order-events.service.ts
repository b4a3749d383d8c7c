import { Inject, Injectable } from '@nestjs/common';
import { queueOf } from '../storage/keyed-queue.js';
import { EventStore } from '../storage/shipping-storage.js';
import { DatabaseUnavailableError } from '../storage/storage.errors.js';
import { type CallOptions, type Scope, Transactions } from '../storage/transactions.js';
import { checkedFor, checkIdentifier } from '../validation/identifiers.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { checkOrderEvent, type RecordOrderEvent } from './dto/record-order-event.dto.js';

/** The histories of orders: append-only, oldest first. */
@Injectable()
export class OrderEvents {
  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(EventStore) private readonly store: EventStore,
  ) {}

  /**
   * Appends an event. In a transaction of the caller, the event exists if, and only if, that transaction commits.
   * @returns the event; with a `dedupeKey` that the order already has, the first event recorded under it
   * @throws ValidationFailedError, InvalidParameterError
   */
  async record(event: RecordOrderEvent, options: CallOptions = {}): Promise<OrderEventDto> {
    const checked = checkOrderEvent(event);
    const scope = this.transactions.scopeOf(options);
    try {
      return await this.store.append(checked, scope);
    } catch (error) {
      const mustWait = scope === 'shared' && error instanceof DatabaseUnavailableError && error.contention;
      if (!mustWait) throw error;
    }
    // An open transaction may hold its key. Only one event of each project waits at a time.
    const queue = queueOf(this.transactions.dataSource);
    return queue.take(`events ${checked.project_id}`, () => this.store.append(checked, 'alone'));
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
    return parsed(this.batches(projectId, orderId, this.transactions.scopeOf(options)));
  }

  /** The JSON of the route, a piece for each batch. The last piece is returned. */
  async *json(projectId: string, orderId: string): AsyncGenerator<string, string, undefined> {
    let json = '';
    for await (const batch of this.batches(projectId, orderId, this.transactions.scopeOf({}))) {
      if (json) yield json;
      json = (json ? ',' : '{"data":[') + batch;
    }
    return `${json}]}`;
  }

  /** JSON of events with commas between. Every event that was committed before the call comes exactly once. */
  private async *batches(
    projectId: string,
    orderId: string,
    scope: Scope,
  ): AsyncGenerator<string, void, undefined> {
    checkedFor(projectId, (violations) => checkIdentifier(violations, 'order_id', orderId));
    let after: string[] | undefined;
    do {
      const { text, next } = await this.store.batch(projectId, orderId, after, scope);
      yield text;
      after = next;
    } while (after);
  }
}

async function* parsed(batches: AsyncGenerator<string>): AsyncGenerator<OrderEventDto, void, undefined> {
  for await (const batch of batches) yield* JSON.parse(`[${batch}]`) as OrderEventDto[];
}
