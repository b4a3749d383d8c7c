import { type ShippingCarrierDto, type ShippingMethodDto } from './dto/shipping-method.dto.js';

/**
 * Groups methods by carrier. They come in list order (sort_order, carrier, method), so that the carriers
 * appear by their smallest sort_order, then by code, and each one's methods stay in order.
 */
export function treeOf(methods: Iterable<ShippingMethodDto>): ShippingCarrierDto[] {
  const carriers = new Map<string, ShippingCarrierDto>();
  const labelled = new Set<string>();
  for (const method of methods) {
    const { carrier_code, carrier_label } = method;
    let carrier = carriers.get(carrier_code);
    if (!carrier) {
      carrier = {
        carrier_code,
        carrier_label: carrier_code,
        is_active: false,
        sort_order: method.sort_order,
        methods: [],
      };
      carriers.set(carrier_code, carrier);
    }
    if (carrier_label !== null && !labelled.has(carrier_code)) {
      carrier.carrier_label = carrier_label;
      labelled.add(carrier_code);
    }
    carrier.is_active ||= method.is_active;
    carrier.methods.push(method);
  }
  return [...carriers.values()];
}
