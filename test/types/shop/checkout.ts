import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { OrderEventsService, type ShippingMethodDto, ShippingMethodsService } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';

/** A row of the shop names the order and the method as the services do. */
export interface Cart {
  projectId: string;
  orderId: string;
  carrier_code: string;
  method_code: string;
  weight: number;
  total: string;
  coupon?: string;
}

function carries({ meta }: ShippingMethodDto, weight: number): boolean {
  return weight <= (meta.max_weight_kg ?? Infinity);
}

@Injectable()
export class Checkout {
  constructor(
    @Inject(ShippingMethodsService)
    private readonly methods: Pick<ShippingMethodsService, 'findActive' | 'findByCodes'>,
    @Inject(OrderEventsService) private readonly events: Pick<OrderEventsService, 'record'>,
  ) {}

  async offers(cart: Cart): Promise<string[]> {
    const offered = await this.methods.findActive(cart.projectId);
    return offered.filter((method) => carries(method, cart.weight)).map(({ method_label }) => method_label);
  }

  /** @returns whether this call has placed the order, and not an earlier one */
  async place(cart: Cart, manager?: EntityManager): Promise<boolean> {
    const lock = manager !== undefined;
    const method = await this.methods.findByCodes(cart.projectId, cart, { manager, lock });
    if (!method?.is_active || !carries(method, cart.weight))
      throw new ConflictException('Choose another shipping method.');
    const { total, coupon } = cart;
    const placed = await this.events.record(
      cart,
      { type: 'order.placed', data: { total, coupon }, dedupe_key: 'placed' },
      { manager },
    );
    return !placed.repeated;
  }
}
