import { Inject, Injectable } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { type ShippingCallOptions } from '../database/call-options.js';
import { CommittedValues } from '../database/committed-values.js';
import { Database } from '../database/database.js';
import { type Batch, inBatches } from '../database/in-batches.js';
import { onePerDataSource } from '../database/one-per-data-source.js';
import { type AfterStatements } from '../database/run-call.js';
import { isInTransaction } from '../database/runner-state.js';
import { checkIds, checkInput, type NamedIds } from '../validation/check-input.js';
import { type OrderEventDto, type RecordedOrderEvent } from './dto/order-event.dto.js';
import { cursorOf, type EventPosition } from './event-cursor.js';
import { checkEventQuery } from './dto/order-event-page.check.js';
import { type OrderEventPage, type OrderEventQuery } from './dto/order-event-page.dto.js';
import { checkOrderEvent } from './dto/new-order-event.check.js';
import { type NewOrderEvent } from './dto/new-order-event.dto.js';
import { type OrderEventType } from './order-event-types.js';
import { type ProjectPosition } from './event-position.js';
import { redactBatch } from './event-redaction.js';
import { EventSettings } from './event-settings.js';
import { removeBatch } from './event-removal.js';
import { eventOf, type EventRow, insertEvent, readEvents, returnsRow } from './event-rows.js';
import { idsOf, type OrderKey } from './order-key.js';

/** How many events one statement of a stream reads. */
const streamBatchSize = 200;

const recordedOf = onePerDataSource(() => new Subject<OrderEventDto>());

/**
 * The histories of orders: append-only, oldest first. An order is named by `{ projectId, orderId }`, so a row of yours
 * with these members can be passed. Any call may throw a `DatabaseUnavailableError`. A call that records, redacts or
 * removes events may also throw an `OutcomeUnknownError`. With `{ manager }` as its last argument, a call becomes part
 * of your transaction.
 *
 * The fields of events have the names of the routes, such as `dedupe_key`. Arguments and options are in camelCase, such
 * as `newestFirst`.
 * @example
 * class Checkout {
 *   constructor(private readonly events: OrderEventsService) {}
 * }
 */
@Injectable()
export class OrderEventsService {
  /**
   * Emits each new event that was recorded by this process on this DataSource, after the outermost COMMIT. It emits no
   * event that was rolled back, no repeated event and no event of another process. Subscribe before you
   * record: while nobody subscribes, it costs nothing. A subscriber runs in the async context in which it subscribed.
   * If it throws or rejects, the error is logged. An error inside of a `pipe()` is not caught: RxJS ends the process,
   * unless you handle it.
   * @example
   * events.recorded.subscribe((event) => console.log(event.order_id, event.type));
   */
  readonly recorded: Observable<OrderEventDto>;

  /** @internal */
  constructor(
    /** @internal */
    @Inject(Database) private readonly database: Database,
    /** @internal */
    @Inject(EventSettings) private readonly settings: EventSettings,
  ) {
    this.recorded = new CommittedValues(recordedOf(database.dataSource));
  }

  /**
   * Appends an event to the history of an order. In your transaction, the event exists only if that transaction
   * commits. The call is idempotent if the event has a `dedupe_key`.
   * @returns the event; if the order already had an event with this `dedupe_key`, that event, with `repeated: true`
   * @throws ValidationFailedError when the event is invalid
   * @throws InvalidParameterError when the project id or the order id is invalid
   * @throws the error that `beforeCommit.event` throws
   * @example
   * const order = { projectId: 'acme', orderId: '1001' };
   * await events.record(order, { type: 'order.placed', dedupe_key: 'placed' }, { manager });
   */
  record<Type extends OrderEventType, Data extends object>(
    order: OrderKey,
    event: NewOrderEvent<Type, Data>,
    options?: ShippingCallOptions,
  ): Promise<RecordedOrderEvent<Type>>;
  async record(
    order: OrderKey,
    event: NewOrderEvent,
    options: ShippingCallOptions = {},
  ): Promise<RecordedOrderEvent> {
    const ids = idsOf(order);
    const checkedEvent = checkInput(ids, (violations) => checkOrderEvent(violations, event));
    const caller = this.database.callerRunner(options);
    const id = uuid();
    const insert = (manager: EntityManager): Promise<RecordedOrderEvent> =>
      insertEvent(manager, ids, id, checkedEvent);
    const { event: eventHook } = this.settings.beforeCommit;
    const subject = recordedOf(this.database.dataSource);
    const afterStatements: AfterStatements<RecordedOrderEvent> = {
      // The caller, the hook and the subscribers may modify the event, so each has its own copy.
      actionAfterCommit: subject.observed
        ? ({ repeated, ...recorded }) => {
            const announced = structuredClone(recorded);
            return () => void (repeated || subject.next(announced));
          }
        : undefined,
      hook:
        eventHook &&
        (async ({ repeated, ...recorded }, manager) => {
          if (!repeated) await eventHook(structuredClone(recorded), manager);
        }),
    };
    // With RETURNING, one statement is enough. Otherwise a second one reads the event, and both need a transaction.
    if (!eventHook && returnsRow(this.database.dataSource.manager))
      return this.database.writeByOneStatement(caller, insert, afterStatements.actionAfterCommit);
    return this.database.write(caller, insert, afterStatements);
  }

  /**
   * Returns one page of a history. A page of a history of 100,000 events takes no longer than a page of a short one,
   * unless the query leaves most events out by their types. Every event that was committed before the first page was
   * read appears exactly once. A later event appears at most once.
   * @throws InvalidParameterError when the ids or the query are invalid
   * @example
   * const { data, next } = await events.list(order, { newestFirst: true, excludeTypes: ['note.added'] });
   */
  async list(
    order: OrderKey,
    query: OrderEventQuery = {},
    options: ShippingCallOptions = {},
  ): Promise<OrderEventPage> {
    const ids = idsOf(order);
    const page = checkInput(ids, (violations) => checkEventQuery(violations, query));
    // One event more than the page holds shows whether there is a next page.
    const range = { ...page, limit: page.limit + 1 };
    const caller = this.database.callerRunner(options);
    const rows = await this.database.read(caller, (manager) => readEvents(manager, ids, range));
    const pageRows = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? pageRows.at(-1) : undefined;
    return { data: pageRows.map(eventOf), next: last ? cursorOf(last) : null };
  }

  /**
   * Returns the whole history at once. For a long history, use {@link stream}. An unknown order has no events.
   * @throws InvalidParameterError when the project id or the order id is invalid
   * @example
   * const history = await events.findAll({ projectId: 'acme', orderId: '1001' });
   */
  async findAll(order: OrderKey, options: ShippingCallOptions = {}): Promise<readonly OrderEventDto[]> {
    const ids = idsOf(order);
    checkIds(ids);
    const caller = this.database.callerRunner(options);
    const rows = await this.database.read(caller, (manager) => readEvents(manager, ids, {}));
    return rows.map(eventOf);
  }

  /**
   * Returns the whole history, oldest first, in bounded memory. It reads 200 events at a time, and holds no connection
   * in between.
   * @throws InvalidParameterError when the project id or the order id is invalid
   * @example
   * for await (const event of events.stream(order)) console.log(event.type);
   */
  stream(order: OrderKey, options: ShippingCallOptions = {}): AsyncGenerator<OrderEventDto, void, undefined> {
    const ids = idsOf(order);
    checkIds(ids);
    // The manager is looked up now. When the first event is read, another ambient transaction may be open.
    return this.eventsOf(ids, this.database.callerRunner(options));
  }

  /**
   * Empties the `message`, the `data` and the `actor` of each event of an order, and keeps its type, its times and its
   * `dedupe_key`. The persons are erased, the record of the order stays, and a repeated event is still known. The actor
   * keeps its `type`. In your transaction, that transaction commits everything. Otherwise each batch of events commits
   * by itself: after an error, call it again. An event that is recorded while the call runs may stay as it is.
   * @returns how many events were changed; 0 if none has anything left to empty
   * @throws InvalidParameterError when the project id or the order id is invalid
   * @example
   * await events.redactHistory({ projectId: 'acme', orderId: '1001' });
   */
  async redactHistory(order: OrderKey, options: ShippingCallOptions = {}): Promise<number> {
    const ids = idsOf(order);
    checkIds(ids);
    const caller = this.database.callerRunner(options);
    return this.runBatches<EventPosition>(caller, (manager, after) => redactBatch(manager, ids, after));
  }

  /**
   * Removes the history of an order, for instance because a privacy law asks for it. An event that is recorded while the
   * call runs may stay. Stop recording events of the order first. {@link redactHistory} keeps the record without the
   * person. In a transaction of the caller, that transaction commits everything. Otherwise each batch of events commits by
   * itself: after an error, call it again, and it removes the rest.
   * @returns how many events this call removed
   * @throws InvalidParameterError when the project id or the order id is invalid
   * @example
   * const removed = await events.removeHistory({ projectId: 'acme', orderId: '1001' });
   */
  async removeHistory(order: OrderKey, options: ShippingCallOptions = {}): Promise<number> {
    const ids = idsOf(order);
    checkIds(ids);
    return this.removeEvents(ids, options);
  }

  /**
   * Removes the histories of a project, for a tenant that leaves. Stop recording its events first. The batches commit as
   * in `removeHistory`. `ShippingMethodsService.removeAll` removes the methods of the project.
   * @returns how many events this call removed
   * @throws InvalidParameterError when the project id is invalid
   * @example
   * const removed = await events.removeHistories('acme');
   */
  async removeHistories(projectId: string, options: ShippingCallOptions = {}): Promise<number> {
    checkIds({ projectId });
    return this.removeEvents({ projectId }, options);
  }

  /** @internal */
  private removeEvents(ids: NamedIds, options: ShippingCallOptions): Promise<number> {
    const caller = this.database.callerRunner(options);
    return this.runBatches<ProjectPosition>(caller, (manager, after) => removeBatch(manager, ids, after));
  }

  /**
   * In a transaction of the caller, all batches are one call, so that the end of the transaction waits for the last one.
   * @internal
   */
  private runBatches<Position>(
    caller: QueryRunner | undefined,
    change: (manager: EntityManager, from: Position | undefined) => Promise<Batch<Position>>,
  ): Promise<number> {
    const { database } = this;
    return caller && isInTransaction(caller)
      ? database.write(caller, (manager) => inBatches<Position>((from) => change(manager, from)))
      : inBatches<Position>((from) => database.write(caller, (manager) => change(manager, from)));
  }

  /** Yields each event that was committed before the call, exactly once. @internal */
  private async *eventsOf(
    order: OrderKey,
    caller: QueryRunner | undefined,
  ): AsyncGenerator<OrderEventDto, void, undefined> {
    let batch: EventRow[] = [];
    do {
      const after = batch.at(-1);
      batch = await this.database.read(caller, (manager) =>
        readEvents(manager, order, { limit: streamBatchSize, after }),
      );
      yield* batch.map(eventOf);
    } while (batch.length === streamBatchSize);
  }
}
