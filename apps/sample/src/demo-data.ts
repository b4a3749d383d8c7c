import { type NewOrderEvent, type UpsertShippingMethodRequest } from 'nestjs-shipping';

type Rest = Partial<UpsertShippingMethodRequest>;
type Method = [carrier: string, carrierLabel: string, method: string, methodLabel: string, rest?: Rest];
type DemoEvent = [
  occurredAt: string,
  type: string,
  actor: NewOrderEvent['actor'],
  data?: Record<string, unknown>,
];

const off: Rest = { is_active: false };
/** The values come from the project `default`, which can also switch the method off. */
const inherits: Rest = { use_default: true };
/** The shop shows `delivery` and `price` to its customers. */
const meta = (details: object): Rest => ({ meta: details });

const ground = meta({ delivery: '1 to 5 days', price: '$7.90', max_weight_kg: 68 });
const overseas = meta({ delivery: '1 to 3 days', price: '$39.00', customs_papers: true });

const demo: Method[] = [
  ['ups', 'UPS', '03', 'UPS Ground', inherits],
  ['ups', 'UPS', '02', 'UPS 2nd Day Air', meta({ delivery: '2 days', price: '$14.50', max_weight_kg: 68 })],
  ['ups', 'UPS', '07', 'UPS Worldwide Express', overseas],
  ['ups', 'UPS', '08', 'UPS Worldwide Expedited', meta({ delivery: '2 to 5 days', price: '$31.00' })],
  ['fedex', 'FedEx', 'FEDEX_GROUND', 'FedEx Ground', ground],
  [
    'fedex',
    'FedEx',
    'FEDEX_EXPRESS_SAVER',
    'FedEx Express Saver',
    meta({ delivery: '3 days', price: '$11.90' }),
  ],
  ['fedex', 'FedEx', 'INTERNATIONAL_ECONOMY', 'FedEx International Economy', off],
  ['dhl', 'DHL', 'P', 'DHL Express Worldwide', inherits],
  [
    'dhl',
    'DHL',
    'K',
    'DHL Express 9:00',
    meta({ delivery: 'before 9:00', price: '$34.00', signature: true }),
  ],
  ['dhl', 'DHL', 'T', 'DHL Express 12:00', meta({ delivery: 'before 12:00', price: '$27.00' })],
];

// 75 keeps DHL Express Worldwide in its place among the methods above, after 70.
const defaults: Method[] = [
  ['ups', 'UPS', '03', 'UPS Ground', ground],
  ['dhl', 'DHL', 'P', 'DHL Express Worldwide', { sort_order: 75, ...overseas }],
];

function methodOf(method: Method, index: number): UpsertShippingMethodRequest {
  const [carrier_code, carrier_label, method_code, method_label, rest] = method;
  return { carrier_code, carrier_label, method_code, method_label, sort_order: (index + 1) * 10, ...rest };
}

/** Methods that a shop could offer: real services, one of them inactive, and two with values from `default`. */
export const demoMethods = demo.map(methodOf);
export const defaultMethods = defaults.map(methodOf);

const system = { type: 'system' } as const;
const warehouse = { type: 'app', id: 'wms', label: 'Warehouse' } as const;
const carrier = { type: 'app', id: 'ups', label: 'UPS' } as const;
const ada = { type: 'customer', id: 'c-518', label: 'Ada Byron' } as const;
const sam = { type: 'user', id: 'u-7', label: 'Sam (support)' } as const;

const upsGround = { carrier_code: 'ups', method_code: '03' };
const dhlByNoon = { carrier_code: 'dhl', method_code: 'T' };

/** The histories of two orders. One was delivered late and partly refunded, the other was cancelled. */
export const demoOrders: Record<string, { chosen: typeof upsGround; history: DemoEvent[] }> = {
  '1001': {
    chosen: upsGround,
    history: [
      ['2026-11-02T09:14:03Z', 'order.placed', ada, { origin: 'web', total: '84.90', currency: 'USD' }],
      ['2026-11-02T09:14:03.120Z', 'shipping.selected', ada, upsGround],
      ['2026-11-02T09:14:41Z', 'payment.authorized', system, { amount: '84.90', partial: false }],
      ['2026-11-02T09:20:12Z', 'message.sent', system, { template: 'order confirmation' }],
      ['2026-11-02T13:40:00Z', 'shipment.created', warehouse, { shipment_id: 's-1', lines: 2 }],
      ['2026-11-02T16:05:30Z', 'payment.captured', system, { amount: '84.90', partial: false }],
      ['2026-11-02T17:20:11Z', 'shipment.dispatched', warehouse, { tracking_number: '1Z999AA10123456784' }],
      ['2026-11-04T05:48:20Z', 'shipment.delayed', carrier, { reason: 'A storm closed the road.' }],
      ['2026-11-07T11:02:57Z', 'shipment.delivered', system, { shipment_id: 's-1', signed_by: 'BYRON' }],
      ['2026-11-09T08:31:40Z', 'refund.requested', sam, { amount: '12.40', reason: 'a cup was broken' }],
      ['2026-11-09T08:33:05Z', 'refund.completed', system, { amount: '12.40', partial: true }],
    ],
  },
  '1002': {
    chosen: dhlByNoon,
    history: [
      ['2026-11-09T18:31:20Z', 'order.placed', ada, { origin: 'app', total: '24.50', currency: 'EUR' }],
      ['2026-11-09T18:31:20.080Z', 'shipping.selected', ada, dhlByNoon],
      ['2026-11-10T08:05:10Z', 'order.cancelled', sam, { reason: 'customer' }],
      ['2026-11-11T02:10:00Z', 'refund.completed', system, { amount: '24.50', partial: false }],
    ],
  },
};
