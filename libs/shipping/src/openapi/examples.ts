import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { type ShippingMethodDto } from '../shipping-methods/dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from '../shipping-methods/dto/upsert-shipping-method.dto.js';
import { ownValuesOf } from '../shipping-methods/own-values.js';

export const request: UpsertShippingMethodRequest = {
  carrier_code: 'ups',
  carrier_label: 'United Parcel Service',
  method_code: '03',
  method_label: 'UPS Ground',
  sort_order: 10,
  meta: { max_weight_kg: 68 },
};

export const method: ShippingMethodDto = {
  id: '019aa0b2-5c00-7a41-9d2b-6f0c8e1b7a35',
  project_id: 'acme',
  ...ownValuesOf(request),
  inherited: [],
  own: {},
  version: 1,
  etag: '"1"',
  created_at: '2025-11-20T09:30:00.000Z',
  updated_at: '2025-11-20T09:30:00.000Z',
};

export const page = { data: [method], meta: { page: 1, per_page: 20, total: 1, total_pages: 1 } };

const { carrier_code, carrier_label, is_active, sort_order } = method;
export const tree = { data: [{ carrier_code, carrier_label, is_active, sort_order, methods: [method] }] };

export const events: { data: OrderEventDto[] } = {
  data: [
    {
      id: '019a9f52-1a40-7c0e-8b11-2f4d9a7c5e60',
      project_id: 'acme',
      order_id: '1000042',
      type: 'shipment.dispatched',
      message: 'Handed to UPS',
      data: { carrier_code: 'ups', method_code: '03', tracking_number: '1Z999AA10123456784' },
      actor: { type: 'user', id: '7', label: 'Ada' },
      occurred_at: '2025-11-20T09:51:00.000Z',
      recorded_at: '2025-11-20T09:51:00.214Z',
    },
  ],
};
