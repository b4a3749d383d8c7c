import { createHash } from 'node:crypto';
import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { OrderEventsService, repeatLostRaces, ShippingMethodsService } from 'nestjs-shipping';
import { DataSource, type EntityManager } from 'typeorm';
import { ShopOrder } from './shop-order.entity.js';

export interface Choice {
  carrier_code: string;
  method_code: string;
}

const actor = { type: 'customer', label: 'Customer of the shop' } as const;

/**
 * The number of the order, such as `07C12F9ABC12D34E`. The same key gives the same number, on every instance.
 */
export function orderIdOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16).toUpperCase();
}

/**
 * The checkout of docs/guide/checkout.md, but our customers have no accounts, so the order id is a hash of the key alone.
 * If your customers have accounts, copy the one in the guide.
 */
@Injectable()
export class Checkout {
  // `@Inject()` names each class, because Vitest and esbuild write no types of parameters.
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
  ) {}

  /** A repeat with the same key gets the order of the first request. */
  place(projectId: string, key: string, choice: Choice): Promise<ShopOrder> {
    return repeatLostRaces(() => this.placeOnce(projectId, orderIdOf(key), choice));
  }

  private async placeOnce(projectId: string, orderId: string, choice: Choice): Promise<ShopOrder> {
    const placed = await this.dataSource.transaction((manager) =>
      this.placeIn(manager, projectId, orderId, choice),
    );
    if (placed) return placed;
    // A repeat gets its order, whatever has changed since then. A transaction reads the primary.
    const existing = await this.dataSource.transaction((manager) =>
      manager.findOneBy(ShopOrder, { projectId, orderId }),
    );
    if (existing) return existing;
    throw new ConflictException('This shipping method is no longer available. Choose another one.');
  }

  /** @returns null if the method is not available, or if the key has been used */
  private async placeIn(
    manager: EntityManager,
    projectId: string,
    orderId: string,
    choice: Choice,
  ): Promise<ShopOrder | null> {
    // The lock keeps the method active until the order is committed.
    const method = await this.methods.findByCodes(projectId, choice, { manager, lock: true });
    if (!method?.is_active) return null;
    // A repeat waits here until the first transaction has ended.
    const { repeated } = await this.events.record(
      { projectId, orderId },
      { type: 'order.placed', actor, data: { origin: 'web' }, dedupe_key: 'placed' },
      { manager },
    );
    if (repeated) return null;
    const { id: methodId, method_label: message } = method;
    const selected = { type: 'shipping.selected', actor, message, data: { ...choice } };
    await this.events.record({ projectId, orderId }, selected, { manager });
    const order = manager.create(ShopOrder, { projectId, orderId, methodId });
    await manager.insert(ShopOrder, order);
    return order;
  }
}
