import { type OrderEventDto } from 'nestjs-shipping';

// docs/reference-services.md shows this code.

declare module 'nestjs-shipping' {
  interface OrderEventData {
    'order.paid': { amount: string; currency: string };
    'gift.wrapped': { paper?: string };
  }

  interface ShippingMethodMeta {
    max_weight_kg?: number | undefined;
    countries?: string[];
  }
}

// The documents record this event without `data`, so they do not show its type.
declare module 'nestjs-shipping' {
  interface OrderEventData {
    'order.placed': { total: string; coupon?: string | undefined };
  }
}

/** An event whose `data` have a type. */
export type Paid = OrderEventDto<'order.paid'>;
