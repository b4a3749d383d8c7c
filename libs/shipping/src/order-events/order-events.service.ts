import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { type CallOptions, Database } from '../database/database.js';
import { KeyedQueue } from '../database/keyed-queue.js';
import { checkIds, checkWithIds } from '../validation/identifiers.js';
import { type OrderEventDto, type RecordedOrderEvent } from './dto/order-event.dto.js';
import { checkPageQuery } from './event-page.check.js';
import { type OrderEventPage, type OrderEventPageQuery } from './dto/order-event-page.dto.js';
import { checkOrderEvent } from './dto/record-order-event.check.js';
import { type RecordOrderEvent } from './dto/record-order-event.dto.js';
import { cursorOf } from './event-cursor.js';
import { ShippingSettings } from '../shipping.options.js';
import {
  deleteEvents,
  eventOf,
  type EventRow,
  type EventScope,
  insertEvent,
  readEvents,
  readPage,
  returnsRow,
} from './event-rows.js';

/** How many events one statement reads. */
const readBatchSize = 200;

/** About how many events one statement deletes. */
const removalBatchSize = 1000;

/** The histories of orders: append-only, oldest first. */
@Injectable()
export class OrderEvents {
  /** The removals of one project run one after another, so that they share one connection. */
  private readonly removals = new KeyedQueue();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {}

  /**
   * Appends an event. In a transaction of the caller, the event exists if, and only if, that transaction commits.
   * @returns the event; if the order already had an event with this `dedupeKey`, that event, with `repeated: true`
   * @throws ValidationFailedError, InvalidParameterError, and what the option `onEvent` throws
   */
  async record(event: RecordOrderEvent, options: CallOptions = {}): Promise<RecordedOrderEvent> {
    const checkedEvent = checkOrderEvent(event);
    const callerManager = this.database.callerManager(options);
    const id = uuid();
    const insert = (manager: EntityManager): Promise<RecordedOrderEvent> =>
      insertEvent(manager, id, checkedEvent);
    const { onEvent } = this.settings;
    // If the event is read by a second statement, and that fails, the INSERT must not be committed.
    if (!onEvent && returnsRow(this.database.dataSource.manager))
      return this.database.autocommit(callerManager, insert);
    return this.database.write(callerManager, insert, {
      hook:
        onEvent &&
        (async ({ repeated, ...recorded }, manager) => {
          // The caller and the hook may modify the event, so each has its own copy.
          if (!repeated) await onEvent(structuredClone(recorded), manager);
        }),
    });
  }

  /**
   * Returns one page of a history. A page of a history of 100,000 events takes no longer than a page of a short one, except
   * for later pages of some `types` on MariaDB and MySQL. An event that is recorded between two pages appears on one page
   * or on none. Every event that was recorded before the first page was read appears once.
   * @throws InvalidParameterError with all violations of the query
   */
  async page(
    projectId: string,
    orderId: string,
    query: OrderEventPageQuery = {},
    options: CallOptions = {},
  ): Promise<OrderEventPage> {
    const order = { projectId, orderId };
    const page = checkWithIds(order, (violations) => checkPageQuery(violations, order, query));
    // One event more than the page holds shows whether there is a next page.
    const range = { ...page, limit: page.limit + 1 };
    const callerManager = this.database.callerManager(options);
    const rows = await this.database.read(callerManager, (manager) =>
      readPage(manager, page, range, page.types),
    );
    const pageRows = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? pageRows.at(-1) : undefined;
    return { events: pageRows.map(eventOf), next: last ? cursorOf(page, last) : null };
  }

  /** Returns the whole history at once. For a long history use `stream`. An unknown order has no events. */
  async list(projectId: string, orderId: string, options: CallOptions = {}): Promise<OrderEventDto[]> {
    checkIds({ projectId, orderId });
    const events: OrderEventDto[] = [];
    const callerManager = this.database.callerManager(options);
    for await (const batch of this.batches(projectId, orderId, callerManager)) events.push(...batch);
    return events;
  }

  /**
   * Returns the whole history, oldest first, in bounded memory. No connection is held between two batches.
   * @throws InvalidParameterError
   */
  stream(
    projectId: string,
    orderId: string,
    options: CallOptions = {},
  ): AsyncGenerator<OrderEventDto, void, undefined> {
    checkIds({ projectId, orderId });
    // The manager is looked up now. When the first event is read, another ambient transaction may be open.
    return eventsIn(this.batches(projectId, orderId, this.database.callerManager(options)));
  }

  /**
   * Removes the history of an order, for instance because a privacy law asks for it. Outside of the caller's transaction it
   * is removed in batches, the oldest events first. If a batch fails, the batches before it stay removed: call it again.
   * An event that is recorded while the call runs may stay. Stop recording events of the order first.
   * @returns how many events were removed
   * @throws InvalidParameterError
   */
  async removeOrder(projectId: string, orderId: string, options: CallOptions = {}): Promise<number> {
    checkIds({ projectId, orderId });
    return this.remove({ projectId, orderId }, this.database.callerManager(options));
  }

  /**
   * Removes the histories of a project, for a tenant that leaves. Outside of the caller's transaction they are removed in
   * batches, as by `removeOrder`. `ShippingMethods.removeProject` removes its methods.
   * @returns how many events were removed
   * @throws InvalidParameterError
   */
  async removeProject(projectId: string, options: CallOptions = {}): Promise<number> {
    checkIds({ projectId });
    return this.remove({ projectId }, this.database.callerManager(options));
  }

  private async remove(scope: EventScope, callerManager: EntityManager | undefined): Promise<number> {
    if (callerManager)
      return (await this.database.write(callerManager, (manager) => deleteEvents(manager, scope))).count;
    return this.removals.take(scope.projectId, async () => {
      let total = 0;
      let after: EventRow | undefined;
      do {
        const { count, last } = await this.database.autocommit(undefined, (manager) =>
          deleteEvents(manager, scope, { limit: removalBatchSize, after }),
        );
        total += count;
        after = last;
      } while (after);
      return total;
    });
  }

  /** Returns every event that was committed before the call exactly once. */
  private async *batches(
    projectId: string,
    orderId: string,
    callerManager: EntityManager | undefined,
  ): AsyncGenerator<OrderEventDto[], void, undefined> {
    let after: EventRow | undefined;
    do {
      // One event more than the batch holds shows whether there is a next batch.
      const rows = await this.database.read(callerManager, (manager) =>
        readEvents(manager, { projectId, orderId }, { limit: readBatchSize + 1, after }),
      );
      yield rows.slice(0, readBatchSize).map(eventOf);
      after = rows.length > readBatchSize ? rows[readBatchSize - 1] : undefined;
    } while (after);
  }
}

async function* eventsIn(
  batches: AsyncGenerator<OrderEventDto[]>,
): AsyncGenerator<OrderEventDto, void, undefined> {
  for await (const batch of batches) yield* batch;
}
