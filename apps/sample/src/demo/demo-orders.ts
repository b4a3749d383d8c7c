import { type RecordOrderEvent } from 'nestjs-shipping';

type DemoEvent = Omit<RecordOrderEvent, 'projectId' | 'orderId'>;

const system = { type: 'system' } as const;
const shop = { type: 'app', id: 'storefront', label: 'Storefront' } as const;
const warehouse = { type: 'app', id: 'wms', label: 'Warehouse' } as const;
const ada = { type: 'customer', id: 'c-518', label: 'Ada Byron' } as const;
const sam = { type: 'user', id: 'u-7', label: 'Sam (support)' } as const;

const event = (
  occurredAt: string,
  type: string,
  actor: DemoEvent['actor'],
  data: DemoEvent['data'] = {},
  message?: string,
): DemoEvent => ({ occurredAt, type, actor, data, message });

/** Histories by order: one delivered, one cancelled and refunded, one on its way in two parcels. */
export const demoOrders: Record<string, DemoEvent[]> = {
  '1001': [
    event('2026-11-02T09:14:03Z', 'order.placed', ada, { origin: 'web', total: '84.90', currency: 'USD' }),
    event('2026-11-02T09:14:03.120Z', 'shipping.selected', ada, { carrier_code: 'ups', method_code: '03' }),
    event('2026-11-02T09:14:41Z', 'payment.authorized', system, { amount: '84.90', partial: false }),
    event('2026-11-02T09:15:02Z', 'message.sent', system, { template: 'order-confirmation' }),
    event('2026-11-02T13:40:00Z', 'shipment.created', warehouse, { shipment_id: 's-1', lines: 2 }),
    event('2026-11-02T16:05:30Z', 'payment.captured', system, { amount: '84.90', partial: false }),
    event('2026-11-02T17:20:11Z', 'shipment.dispatched', warehouse, {
      shipment_id: 's-1',
      tracking_number: '1Z999AA10123456784',
    }),
    event('2026-11-05T11:02:57Z', 'shipment.delivered', system, { shipment_id: 's-1', signed_by: 'BYRON' }),
  ],
  '1002': [
    event('2026-11-09T18:31:20Z', 'order.placed', ada, { origin: 'app', total: '24.50', currency: 'EUR' }),
    event('2026-11-09T18:31:20.080Z', 'shipping.selected', ada, { carrier_code: 'dpd', method_code: 'CL' }),
    event('2026-11-09T18:32:05Z', 'payment.captured', system, { amount: '24.50', partial: false }),
    event(
      '2026-11-10T08:03:44Z',
      'note.added',
      sam,
      { visible_to_customer: false },
      'Ordered twice, see 1003.',
    ),
    event('2026-11-10T08:05:10Z', 'order.cancelled', sam, { reason: 'customer' }),
    event('2026-11-10T08:05:12Z', 'refund.requested', system, { amount: '24.50' }),
    event('2026-11-11T02:10:00Z', 'refund.completed', system, { amount: '24.50', partial: false }),
  ],
  '1003': [
    event('2026-11-09T18:40:12Z', 'order.placed', shop, { origin: 'web', total: '61.00', currency: 'EUR' }),
    event('2026-11-09T18:40:13Z', 'payment.captured', system, { amount: '61.00', partial: false }),
    event('2026-11-10T07:15:00Z', 'address.changed', ada, { which: 'shipping' }),
    event('2026-11-10T07:15:30Z', 'shipping.selected', ada, {
      carrier_code: 'inpost',
      method_code: 'inpost_locker_standard',
      locker: 'KRA01M',
    }),
    event('2026-11-11T10:00:00Z', 'shipment.dispatched', warehouse, {
      shipment_id: 's-2',
      partial: true,
      lines: 1,
    }),
    event('2026-11-11T10:00:02Z', 'stock.changed', warehouse, { action: 'backordered', lines: 1 }),
  ],
};
