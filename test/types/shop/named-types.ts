// What compiles for a host that names the types of its events and of `meta`, and what must not. Only
// test/types.test.ts compiles this file, because the names count for a whole program.
import {
  isOrderEvent,
  type JsonObject,
  type NewOrderEvent,
  type OrderEventDto,
  type OrderEventsService,
  type RecordedOrderEvent,
  type ShippingMethodDto,
  type ShippingMethodsService,
  type UpsertShippingMethodRequest,
  toUpsertRequest,
} from 'nestjs-shipping';
import { type Paid } from './shop-types.js';

declare const methods: ShippingMethodsService;
declare const events: OrderEventsService;
const order = { projectId: 'acme', orderId: '1001' };
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** The services have no private members in the declarations, so a class of the host can implement them. */
export function fakes(
  fakeMethods: Pick<ShippingMethodsService, keyof ShippingMethodsService>,
  fakeEvents: Pick<OrderEventsService, keyof OrderEventsService>,
): [ShippingMethodsService, OrderEventsService] {
  return [fakeMethods, fakeEvents];
}

export function fits(method: ShippingMethodDto, weight: number): boolean {
  const { max_weight_kg = Infinity, countries = [] } = method.meta;
  return weight <= max_weight_kg && countries.includes('DE') && method.own.meta?.countries === undefined;
}

export function writesMeta(method: ShippingMethodDto): unknown[] {
  const request: UpsertShippingMethodRequest = { ...ground, meta: { max_weight_kg: 68 } };
  return [
    methods.create('acme', request),
    methods.create('acme', toUpsertRequest(method)),
    methods.upsertMany('acme', [request, { ...ground, meta: { countries: ['DE'] } }]),
    // @ts-expect-error: a wrong type
    methods.create('acme', { ...ground, meta: { max_weight_kg: '68' } }),
    // @ts-expect-error: a misspelt member
    methods.create('acme', { ...ground, meta: { max_weigth_kg: 68 } }),
    // @ts-expect-error: an array
    methods.create('acme', { ...ground, meta: [68] }),
  ];
}

export async function records(other: NewOrderEvent): Promise<string> {
  const paid: NewOrderEvent<'order.paid'> = { type: 'order.paid', data: { amount: '5.00', currency: 'EUR' } };
  const stored: RecordedOrderEvent<'order.paid'> = await events.record(order, paid);
  const any: OrderEventDto = await events.record(order, other);
  await events.record(order, { type: 'gift.wrapped' });
  await events.record(order, { type: 'stock.counted', data: { count: 3 } });
  // @ts-expect-error: a wrong type
  await events.record(order, { type: 'order.paid', data: { amount: 5, currency: 'EUR' } });
  // @ts-expect-error: a member is missing.
  await events.record(order, { type: 'order.paid', data: { amount: '5.00' } });
  // @ts-expect-error: the data are missing.
  await events.record(order, { type: 'order.paid' });
  // @ts-expect-error: a misspelt member
  await events.record(order, { type: 'gift.wrapped', data: { papre: 'red' } });
  // @ts-expect-error: a bigint, in an event without a name
  await events.record(order, { type: 'note.added', data: { a: 1n } });
  // A repeated event is the first one with its key, and may have another type.
  return any.type + (stored.repeated ? stored.type : stored.data.amount);
}

export function lineOf(event: OrderEventDto): string {
  switch (event.type) {
    case 'order.paid':
      return `Paid ${event.data.amount} ${event.data.currency}`;
    case 'gift.wrapped':
      return event.data.paper ?? 'paper';
    case 'order.placed':
      return event.data.coupon ?? event.data.total;
    case 'note.added':
      return String(event.data['text']);
    // @ts-expect-error: a misspelt type
    case 'order.payed':
      return '';
    default: {
      const data: JsonObject = event.data;
      return event.type + Object.keys(data).length;
    }
  }
}

export function amountOf(history: readonly OrderEventDto[]): string | undefined {
  const paid: Paid[] = history.filter((event) => isOrderEvent(event, 'order.paid'));
  return paid.at(-1)?.data.amount ?? history.find((event) => isOrderEvent(event, 'order.paid'))?.data.amount;
}
