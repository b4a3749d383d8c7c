import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  connectionError,
  DatabaseUnavailableError,
  type OrderEventPage,
  type OrderEventPageQuery,
  OrderEvents,
  type RecordedOrderEvent,
  ShippingMethods,
} from 'nestjs-shipping';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { DeskOrder } from './desk-order.entity.js';
import { MethodInactiveError, OrderExistsError, UnknownMethodError } from './order-desk.errors.js';
import { type PlaceOrderRequest } from './place-order.dto.js';

export interface PlacedOrder extends PlaceOrderRequest {
  project_id: string;
  method_id: string;
}

const actor = { type: 'app', id: 'order-desk', label: 'Order desk' } as const;

@Injectable()
export class OrderDesk {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(OrderEvents) private readonly events: OrderEvents,
  ) {}

  /**
   * Stores the order and its first events in one transaction. If the client sends a key, a repeated request gets
   * the order of the first request: see docs/guide/checkout.md.
   * @throws UnknownMethodError, MethodInactiveError, OrderExistsError, DatabaseUnavailableError,
   *   OutcomeUnknownError
   */
  async place(projectId: string, request: PlaceOrderRequest, key?: string): Promise<PlacedOrder> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction((manager) => this.placeIn(manager, projectId, request, key));
      } catch (error) {
        const typed = connectionError(error);
        const isRace = typed instanceof DatabaseUnavailableError && typed.contention === 'race';
        if (!isRace || attempt === 5) throw typed;
      }
    }
  }

  history(projectId: string, orderId: string, query: OrderEventPageQuery): Promise<OrderEventPage> {
    return this.events.page(projectId, orderId, query);
  }

  /** Adds a note. The sample knows no users, so the actor of every note is the operator. */
  note(projectId: string, orderId: string, message: string, key?: string): Promise<RecordedOrderEvent> {
    const operator = { type: 'user', label: 'Operator' } as const;
    const dedupeKey = key && `note:${key}`;
    return this.events.record(projectId, orderId, {
      type: 'note.added',
      message,
      actor: operator,
      dedupe_key: dedupeKey,
    });
  }

  private async placeIn(
    manager: EntityManager,
    projectId: string,
    request: PlaceOrderRequest,
    key: string | undefined,
  ): Promise<PlacedOrder> {
    const { order_id: orderId, carrier_code, method_code } = request;
    // This call comes first, so that a repeat waits here until the first transaction has ended.
    const { repeated } = await this.events.record(
      projectId,
      orderId,
      { type: 'order.placed', actor, data: { origin: 'desk' }, dedupe_key: key && `placed:${key}` },
      { manager },
    );
    if (repeated) return this.storedOrder(manager, projectId, orderId);

    const method = await this.methods.findByCodes(projectId, carrier_code, method_code, { manager });
    if (!method) throw new UnknownMethodError();
    if (!method.is_active) throw new MethodInactiveError();

    const { id: method_id, method_label: message } = method;
    await manager.insert(DeskOrder, { projectId, orderId, methodId: method_id }).catch(throwRefusal);
    const data = { carrier_code, method_code, method_id };
    await this.events.record(
      projectId,
      orderId,
      { type: 'shipping.selected', actor, message, data },
      { manager },
    );
    return { project_id: projectId, ...request, method_id };
  }

  private async storedOrder(
    manager: EntityManager,
    projectId: string,
    orderId: string,
  ): Promise<PlacedOrder> {
    const where = { projectId, orderId };
    const { method } = await manager.findOneOrFail(DeskOrder, { where, relations: { method: true } });
    const { carrierCode: carrier_code, methodCode: method_code, id: method_id } = method;
    return { project_id: projectId, order_id: orderId, carrier_code, method_code, method_id };
  }
}

/** Turns a violation of a constraint of `desk_order` into a refusal. The constraints also decide when two requests race. */
function throwRefusal(error: unknown): never {
  const { code = '' } = error instanceof QueryFailedError ? (error.driverError as { code?: string }) : {};
  // PostgreSQL, MariaDB and SQLite each have their own error code.
  if (/^(23505|ER_DUP_ENTRY|SQLITE_CONSTRAINT_PRIMARYKEY)$/.test(code)) throw new OrderExistsError();
  // Another request has deleted the method since we read it.
  if (/^(23503|ER_NO_REFERENCED_ROW_2|SQLITE_CONSTRAINT_FOREIGNKEY)$/.test(code))
    throw new UnknownMethodError();
  throw error;
}
