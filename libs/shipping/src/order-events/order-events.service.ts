import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { type CallOptions } from '../database/call-options.js';
import { Database } from '../database/database.js';
import { inBatches } from '../database/in-batches.js';
import { checkIds, checkInput } from '../validation/identifiers.js';
import { type OrderEventDto, type RecordedOrderEvent } from './dto/order-event.dto.js';
import { cursorOf, type EventPosition } from './dto/event-cursor.js';
import { checkPageQuery } from './dto/order-event-page.check.js';
import { type OrderEventPage, type OrderEventPageQuery } from './dto/order-event-page.dto.js';
import { checkOrderEvent } from './dto/new-order-event.check.js';
import { type NewOrderEvent } from './dto/new-order-event.dto.js';
import { type OrderEventType } from './order-event-types.js';
import { redactBatch } from './event-redaction.js';
import { ShippingSettings } from '../shipping.options.js';
import {
  removeEvents,
  eventOf,
  type EventRow,
  insertEvent,
  type OrderKey,
  readEvents,
  returnsRow,
} from './event-rows.js';

/** How many events one statement of a stream reads. */
const streamBatchSize = 200;

/**
 * The histories of orders: append-only, oldest first. Any call may throw a `DatabaseUnavailableError`. A call that
 * records or removes events may also throw an `OutcomeUnknownError`. `record` throws what `beforeCommit.event` throws.
 */
@Injectable()
export class OrderEvents {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {}

  /**
   * Appends an event. In a transaction of the caller, the event exists if, and only if, that transaction commits.
   * @returns the event; if the order already had an event with this `dedupe_key`, that event, with `repeated: true`
   * @throws ValidationFailedError, InvalidParameterError, and what `beforeCommit.event` throws
   * @example
   * await events.record('acme', '1001', { type: 'order.placed', dedupe_key: 'placed' }, { manager });
   */
  record<Type extends OrderEventType, Data extends object>(
    projectId: string,
    orderId: string,
    event: NewOrderEvent<Type, Data>,
    options?: CallOptions,
  ): Promise<RecordedOrderEvent<Type>>;
  async record(
    projectId: string,
    orderId: string,
    event: NewOrderEvent,
    options: CallOptions = {},
  ): Promise<RecordedOrderEvent> {
    const order = { projectId, orderId };
    const checkedEvent = checkInput(order, (violations) => checkOrderEvent(violations, event));
    const callerManager = this.database.callerManager(options);
    const id = uuid();
    const insert = (manager: EntityManager): Promise<RecordedOrderEvent> =>
      insertEvent(manager, order, id, checkedEvent);
    const { event: eventHook } = this.settings.beforeCommit;
    // With RETURNING, one statement is enough. Otherwise a second one reads the event, and both need a transaction.
    if (!eventHook && returnsRow(this.database.dataSource.manager))
      return this.database.writeOnce(callerManager, insert);
    return this.database.write(callerManager, insert, {
      hook:
        eventHook &&
        (async ({ repeated, ...recorded }, manager) => {
          // The caller and the hook may modify the event, so each has its own copy.
          if (!repeated) await eventHook(structuredClone(recorded), manager);
        }),
    });
  }

  /**
   * Returns one page of a history. A page of a history of 100,000 events takes no longer than a page of a short one,
   * unless the query has `types` that are rare. Every event that was committed before the first page was read appears
   * exactly once. A later event appears at most once.
   * @throws InvalidParameterError with all violations of the query
   */
  async page(
    projectId: string,
    orderId: string,
    query: OrderEventPageQuery = {},
    options: CallOptions = {},
  ): Promise<OrderEventPage> {
    const order = { projectId, orderId };
    const page = checkInput(order, (violations) => checkPageQuery(violations, query));
    // One event more than the page holds shows whether there is a next page.
    const range = { ...page, limit: page.limit + 1 };
    const callerManager = this.database.callerManager(options);
    const rows = await this.database.read(callerManager, (manager) => readEvents(manager, order, range));
    const pageRows = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? pageRows.at(-1) : undefined;
    return { events: pageRows.map(eventOf), next: last ? cursorOf(last) : null };
  }

  /**
   * Returns the whole history at once. For a long history use `stream`. An unknown order has no events.
   * @throws InvalidParameterError
   */
  async list(projectId: string, orderId: string, options: CallOptions = {}): Promise<OrderEventDto[]> {
    checkIds({ projectId, orderId });
    const callerManager = this.database.callerManager(options);
    const rows = await this.database.read(callerManager, (manager) =>
      readEvents(manager, { projectId, orderId }, {}),
    );
    return rows.map(eventOf);
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
    return this.eventsOf({ projectId, orderId }, this.database.callerManager(options));
  }

  /**
   * Empties the `message`, the `data` and the `actor` of each event of an order, and keeps its type, its times and its
   * `dedupe_key`. The persons are erased, the record of the order stays, and a repeated event is still known. The actor
   * keeps its `type`. In a transaction of the caller, that transaction commits everything. Otherwise each batch of events
   * commits by itself: after an error, call it again. An event that is recorded while the call runs may stay as it is.
   * @returns how many events were changed; 0 if none has anything left to empty
   * @throws InvalidParameterError
   * @example
   * await events.redactHistory({ projectId: 'acme', orderId: '1001' });
   */
  async redactHistory(order: OrderKey, options: CallOptions = {}): Promise<number> {
    const { projectId, orderId } = order;
    checkIds({ projectId, orderId });
    const callerManager = this.database.callerManager(options);
    return inBatches<EventPosition>((after) =>
      this.database.write(callerManager, (manager) => redactBatch(manager, { projectId, orderId }, after)),
    );
  }

  /**
   * Removes the history of an order, for instance because a privacy law asks for it. An event that is recorded while the
   * call runs may stay. Stop recording events of the order first.
   * @returns how many events were removed
   * @throws InvalidParameterError
   */
  async removeOrder(projectId: string, orderId: string, options: CallOptions = {}): Promise<number> {
    checkIds({ projectId, orderId });
    const callerManager = this.database.callerManager(options);
    return this.database.write(callerManager, (manager) => removeEvents(manager, projectId, orderId));
  }

  /**
   * Removes the histories of a project in one statement, for a tenant that leaves. Stop recording its events first.
   * `ShippingMethods.removeProject` removes the methods of the project.
   * @returns how many events were removed
   * @throws InvalidParameterError
   */
  async removeProject(projectId: string, options: CallOptions = {}): Promise<number> {
    checkIds({ projectId });
    const callerManager = this.database.callerManager(options);
    return this.database.write(callerManager, (manager) => removeEvents(manager, projectId));
  }

  /** Yields every event that was committed before the call exactly once. */
  private async *eventsOf(
    order: OrderKey,
    callerManager: EntityManager | undefined,
  ): AsyncGenerator<OrderEventDto, void, undefined> {
    let batch: EventRow[] = [];
    do {
      const after = batch.at(-1);
      batch = await this.database.read(callerManager, (manager) =>
        readEvents(manager, order, { limit: streamBatchSize, after }),
      );
      yield* batch.map(eventOf);
    } while (batch.length === streamBatchSize);
  }
}
