import { v7 as uuid } from 'uuid';
import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { type OrderEventType } from '../order-events/order-event-types.js';
import { type ShippingMethodDto } from '../shipping-methods/dto/shipping-method.dto.js';

const time = '2026-01-01T00:00:00.000Z';

/**
 * Returns a whole method for a test without a database: an active one, without inherited values.
 * @param fields the fields that matter to the test
 * @example
 * const methods = { findByCodes: async () => shippingMethod({ is_active: false }) };
 */
export function shippingMethod(fields: Partial<ShippingMethodDto> = {}): ShippingMethodDto {
  const { version = 1 } = fields;
  return {
    id: uuid(),
    project_id: 'acme',
    carrier_code: 'ups',
    carrier_label: 'UPS',
    method_code: '03',
    method_label: 'UPS Ground',
    is_active: true,
    sort_order: 0,
    meta: {},
    use_default: false,
    inherited: [],
    own: {},
    version,
    etag: `"${version}"`,
    created_at: time,
    updated_at: time,
    ...fields,
  };
}

/**
 * Returns a whole event for a test without a database.
 * @param fields the fields that matter to the test
 * @example
 * const events: Pick<OrderEventsService, 'record'> = {
 *   record: async (_order, { type }) => ({ ...orderEvent({ type }), repeated: false }),
 * };
 */
export function orderEvent<Type extends OrderEventType = OrderEventType>(
  fields: Partial<Omit<OrderEventDto, 'type'>> & { readonly type?: Type } = {},
): OrderEventDto<Type> {
  return {
    id: uuid(),
    project_id: 'acme',
    order_id: '1001',
    type: 'order.placed',
    message: null,
    data: {},
    actor: null,
    occurred_at: time,
    recorded_at: time,
    ...fields,
  } as OrderEventDto<Type>;
}
