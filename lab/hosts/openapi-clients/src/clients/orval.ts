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
} from './generated/orval.js';
import { sendTo } from './orval-request.js';
import type { Seen, Shop } from './seen.js';

export async function callAll({ origin, project, orderId, headers }: Shop): Promise<Seen> {
  sendTo(origin, headers);
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

  const created = await createShippingMethod(project, body);
  const again = await createShippingMethod(project, body);
  if (created.status !== 201 || again.status !== 409) {
    throw new Error('One was to be created, the other refused.');
  }
  const { code, existing_id } = again.data;

  const listed = await listShippingMethods(project, {
    page: 1,
    per_page: 5,
    filter: JSON.stringify(filter),
    raw_filters: JSON.stringify(rawFilters),
  });
  const tree = await getShippingMethodTree(project);

  const { id } = created.data;
  const ifMatch = { headers: { 'If-Match': created.headers.get('etag') ?? '' } };
  const updated = await updateShippingMethod(project, id, { ...body, is_active: false }, ifMatch);
  const outdated = await updateShippingMethod(project, id, body, ifMatch);
  const deleted = await deleteShippingMethod(project, id);
  const events = await listOrderEvents(project, orderId);

  return {
    created: created.data.carrier_label,
    isRefusedByName: code === 'duplicate_method' && existing_id === created.data.id,
    listed: listed.status === 200 ? listed.data.data.map((method) => method.method_label) : [],
    carriers: tree.status === 200 ? tree.data.data.map((carrier) => carrier.carrier_code) : [],
    updated: updated.status === 200 ? updated.data.version : 0,
    outdated: outdated.status === 412 ? (outdated.data.current_version ?? null) : null,
    deleted: deleted.status,
    events: events.status === 200 ? events.data.data.map((event) => event.type) : [],
  };
}
