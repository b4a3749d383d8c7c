import {
  createShippingMethod,
  deleteShippingMethod,
  getShippingMethodTree,
  listOrderEvents,
  listShippingMethods,
  type ShippingFilter,
  type ShippingRawFilters,
  updateShippingMethod,
  type UpsertShippingMethodRequest,
} from './generated/hey-api/index.js';
import { createClient } from './generated/hey-api/client/index.js';
import type { Seen, Shop } from './seen.js';

export async function callAll({ origin, project, orderId, headers }: Shop): Promise<Seen> {
  const client = createClient({ baseUrl: origin, headers });
  const path = { project_id: project };
  const body: UpsertShippingMethodRequest = {
    carrier_code: 'ups',
    carrier_label: null,
    method_code: 'GS더프레시',
    method_label: 'UPS Ground',
    sort_order: 10,
    meta: { max_weight_kg: 68 },
  };
  const filter: ShippingFilter = { carrier_code: ['ups', 'dhl'], is_active: true };
  const rawFilters: ShippingRawFilters = [
    { or: [{ field: 'method_label', op: 'contains', value: 'ground' }] },
  ];

  const created = await createShippingMethod({ client, path, body });
  const again = await createShippingMethod({ client, path, body });
  if (!created.data || !again.error) throw new Error('One was to be created, the other refused.');
  const error = 'code' in again.error && again.error.code === 'duplicate_method' ? again.error : undefined;

  const query = {
    page: 1,
    per_page: 5,
    filter: JSON.stringify(filter),
    raw_filters: JSON.stringify(rawFilters),
  };
  const listed = await listShippingMethods({ client, path, query });
  const tree = await getShippingMethodTree({ client, path });

  const one = { client, path: { ...path, method_id: created.data.id } };
  const change = { ...one, headers: { 'If-Match': created.data.etag } };
  const updated = await updateShippingMethod({ ...change, body: { ...body, is_active: false } });
  const outdated = await updateShippingMethod({ ...change, body });
  const deleted = await deleteShippingMethod(one);
  const events = await listOrderEvents({ client, path: { ...path, order_id: orderId } });

  const tooLate = outdated.error && 'current_version' in outdated.error ? outdated.error : undefined;

  return {
    created: created.data.carrier_label,
    isRefusedByName: error?.existing_id === created.data.id,
    listed: listed.data?.data.map((method) => method.method_label) ?? [],
    carriers: tree.data?.data.map((carrier) => carrier.carrier_code) ?? [],
    updated: updated.data?.version ?? 0,
    outdated: tooLate?.current_version ?? null,
    deleted: deleted.response?.status ?? 0,
    events: events.data?.data.map((event) => event.type) ?? [],
  };
}
