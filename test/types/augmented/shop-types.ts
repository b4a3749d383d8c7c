// docs/guide/events.md and docs/recipes/methods-for-a-cart.md show this code.
declare module 'nestjs-shipping' {
  interface OrderEventData {
    'order.paid': { amount: string; currency: string };
    'gift.wrapped': { paper?: string };
  }

  interface ShippingMethodMeta {
    max_weight_kg?: number;
    countries?: string[];
  }
}

export {};
