import { type RecordOrderEvent, type UpsertShippingMethodRequest } from 'nestjs-shipping';

type Rest = Partial<UpsertShippingMethodRequest>;
type Method = [carrier: string, carrierLabel: string, method: string, methodLabel: string, rest?: Rest];
type DemoEvent = [occurredAt: string, type: string, actor: RecordOrderEvent['actor'], data?: object];

const off: Rest = { is_active: false };
/** Inherits label, order and meta from the project `default`. */
const followed: Rest = { use_default: true };
const days = (min: number, max: number): Rest => ({ meta: { days: { min, max } } });

const demo: Method[] = [
  ['ups', 'UPS', '03', 'UPS Ground', followed],
  ['ups', 'UPS', '02', 'UPS 2nd Day Air', days(2, 2)],
  ['ups', 'UPS', '07', 'UPS Worldwide Express', days(1, 3)],
  ['fedex', 'FedEx', 'FEDEX_GROUND', 'FedEx Ground', days(1, 5)],
  ['fedex', 'FedEx', 'FEDEX_EXPRESS_SAVER', 'FedEx Express Saver', days(3, 3)],
  ['fedex', 'FedEx', 'INTERNATIONAL_ECONOMY', 'FedEx International Economy', off],
  ['dhl', 'DHL', 'P', 'DHL Express Worldwide', followed],
  ['dhl', 'DHL', 'T', 'DHL Express 12:00', { meta: { delivered_before: '12:00' } }],
  ['usps', 'USPS', 'PRIORITY_MAIL', 'USPS Priority Mail', days(1, 3)],
  ['usps', 'USPS', 'PRIORITY_MAIL_EXPRESS', 'USPS Priority Mail Express', days(1, 2)],
  ['usps', 'USPS', 'PARCEL_SELECT', 'USPS Parcel Select', off],
  ['dpd', 'DPD', 'CL', 'DPD Classic'],
  ['royal_mail', 'Royal Mail', 'TPN24', 'Royal Mail Tracked 24', days(1, 1)],
  ['australia_post', 'Australia Post', 'AUS_PARCEL_EXPRESS', 'Australia Post Express Post'],
  ['correos', 'Correos', 'S0132', 'Paq Estándar a Domicilio'],
  ['inpost', 'InPost', 'inpost_locker_standard', 'InPost Paczkomat 24/7', { meta: { needs_locker: true } }],
];

const defaults: Method[] = [
  ['ups', 'UPS', '03', 'UPS Ground (1 to 5 days)', days(1, 5)],
  ['dhl', 'DHL', 'P', 'DHL Express Worldwide (1 to 3 days)', { sort_order: 95, ...days(1, 3) }],
];

function methodOf(method: Method, index: number): UpsertShippingMethodRequest {
  const [carrier_code, carrier_label, method_code, method_label, rest] = method;
  return { carrier_code, carrier_label, method_code, method_label, sort_order: (index + 1) * 10, ...rest };
}

/** Methods that a shop could offer: real services, some of them inactive, and two with values from `default`. */
export const demoMethods = demo.map(methodOf);
export const defaultMethods = defaults.map(methodOf);

const system = { type: 'system' } as const;
const warehouse = { type: 'app', id: 'wms', label: 'Warehouse' } as const;
const ada = { type: 'customer', id: 'c-518', label: 'Ada Byron' } as const;
const sam = { type: 'user', id: 'u-7', label: 'Sam (support)' } as const;

/** Histories by order: one delivered, one cancelled and refunded. */
export const demoOrders: Record<string, DemoEvent[]> = {
  '1001': [
    ['2026-11-02T09:14:03Z', 'order.placed', ada, { origin: 'web', total: '84.90', currency: 'USD' }],
    ['2026-11-02T09:14:03.120Z', 'shipping.selected', ada, { carrier_code: 'ups', method_code: '03' }],
    ['2026-11-02T09:14:41Z', 'payment.authorized', system, { amount: '84.90', partial: false }],
    ['2026-11-02T13:40:00Z', 'shipment.created', warehouse, { shipment_id: 's-1', lines: 2 }],
    ['2026-11-02T16:05:30Z', 'payment.captured', system, { amount: '84.90', partial: false }],
    ['2026-11-02T17:20:11Z', 'shipment.dispatched', warehouse, { tracking_number: '1Z999AA10123456784' }],
    ['2026-11-05T11:02:57Z', 'shipment.delivered', system, { shipment_id: 's-1', signed_by: 'BYRON' }],
  ],
  '1002': [
    ['2026-11-09T18:31:20Z', 'order.placed', ada, { origin: 'app', total: '24.50', currency: 'EUR' }],
    ['2026-11-09T18:31:20.080Z', 'shipping.selected', ada, { carrier_code: 'dpd', method_code: 'CL' }],
    ['2026-11-10T08:05:10Z', 'order.cancelled', sam, { reason: 'customer' }],
    ['2026-11-11T02:10:00Z', 'refund.completed', system, { amount: '24.50', partial: false }],
  ],
};
