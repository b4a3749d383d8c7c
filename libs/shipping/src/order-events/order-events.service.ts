import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type CallOptions, Database } from '../database/database.js';
import { KeyedQueue } from '../database/keyed-queue.js';
import { checkIds } from '../validation/identifiers.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { checkOrderEvent } from './dto/record-order-event.check.js';
import { type RecordOrderEvent } from './dto/record-order-event.dto.js';
import {
  deleteEvents,
  type EventRow,
  eventOf,
  type EventsOf,
  insertEvent,
  readEvents,
} from './event-rows.js';

/** It bounds the memory that a long history takes. */
const batchSize = 200;

/** It bounds how long a removal locks rows. */
const removedAtOnce = 1000;

/** The histories of orders: append-only, oldest first. */
@Injectable()
export class OrderEvents {
  /** A removal may wait for a lock. Those of one project take one connection together. */
  private readonly removals = new KeyedQueue();

  constructor(@Inject(Database) private readonly database: Database) {}

  /**
   * Appends an event. In a transaction of the caller, the event exists if, and only if, that transaction commits.
   * @returns the event; with a `dedupeKey` that the order already has, the first event recorded under it
   * @throws ValidationFailedError, InvalidParameterError
   */
  async record(event: RecordOrderEvent, options: CallOptions = {}): Promise<OrderEventDto> {
    const checked = checkOrderEvent(event);
    return this.database.append(this.database.joined(options), (manager) => insertEvent(manager, checked));
  }

  /** The whole history in memory. For a long history use `stream`. An unknown order has no events. */
  async list(projectId: string, orderId: string, options: CallOptions = {}): Promise<OrderEventDto[]> {
    const events: OrderEventDto[] = [];
    const joined = this.database.joined(options);
    for await (const batch of this.batches(projectId, orderId, joined)) events.push(...batch);
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

  /**
   * Removes the history of an order, for instance because a privacy law asks for it. Outside of the caller's transaction it
   * is removed in batches, the oldest events first. If a batch fails, those before it are gone: call it again.
   * @returns how many events were removed
   * @throws InvalidParameterError
   */
  async removeOrder(projectId: string, orderId: string, options: CallOptions = {}): Promise<number> {
    checkIds({ projectId, orderId });
    return this.remove({ projectId, orderId }, this.database.joined(options));
  }

  /**
   * Removes the histories of a project, for a tenant that leaves. Outside of the caller's transaction they are removed in
   * batches, as by `removeOrder`. `ShippingMethods.removeProject` removes its methods.
   * @returns how many events were removed
   * @throws InvalidParameterError
   */
  async removeProject(projectId: string, options: CallOptions = {}): Promise<number> {
    checkIds({ projectId });
    return this.remove({ projectId }, this.database.joined(options));
  }

  private async remove(of: EventsOf, joined: EntityManager | undefined): Promise<number> {
    if (joined) return this.database.write(joined, (manager) => deleteEvents(manager, of));
    return this.removals.take(of.projectId, async () => {
      let all = 0;
      for (let removed = -1; removed !== 0; all += removed)
        removed = await this.database.append(undefined, (manager) =>
          deleteEvents(manager, of, removedAtOnce),
        );
      return all;
    });
  }

  /** Every event that was committed before the call comes exactly once. */
  private async *batches(
    projectId: string,
    orderId: string,
    joined: EntityManager | undefined,
  ): AsyncGenerator<OrderEventDto[], void, undefined> {
    checkIds({ projectId, orderId });
    let after: EventRow | undefined;
    do {
      // One more than the batch tells whether there is another one.
      const rows = await this.database.read(joined, (manager) =>
        readEvents(manager, { projectId, orderId }, batchSize + 1, after),
      );
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
