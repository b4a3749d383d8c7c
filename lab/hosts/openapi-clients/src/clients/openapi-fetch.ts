import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.js';
import type { Seen, Shop } from './seen.js';

type Schemas = components['schemas'];

export async function callAll({ origin, project, orderId, headers }: Shop): Promise<Seen> {
  const client = createClient<paths>({ baseUrl: origin, headers });
  const methods = '/api/projects/{project_id}/sales/orders/shipments/methods';
  const path = { project_id: project };
  const body: Schemas['UpsertShippingMethodRequest'] = {
    carrier_code: 'ups',
    carrier_label: null,
    method_code: 'GS더프레시',
    method_label: 'UPS Ground',
    sort_order: 10,
    meta: { max_weight_kg: 68 },
  };
  const filter: Schemas['ShippingFilter'] = { carrier_code: ['ups', 'dhl'], is_active: true };
  const rawFilters: Schemas['ShippingRawFilters'] = [
    { or: [{ field: 'method_label', op: 'contains', value: 'ground' }] },
  ];

  const created = await client.POST(methods, { params: { path }, body });
  const again = await client.POST(methods, { params: { path }, body });
  if (!created.data || !again.error) throw new Error('One was to be created, the other refused.');
  const error = 'code' in again.error && again.error.code === 'duplicate_method' ? again.error : undefined;

  const query = {
    page: 1,
    per_page: 5,
    filter: JSON.stringify(filter),
    raw_filters: JSON.stringify(rawFilters),
  };
  const listed = await client.GET(methods, { params: { path, query } });
  const tree = await client.GET(`${methods}/tree`, { params: { path } });

  const one = { path: { ...path, method_id: created.data.id } };
  const change = { ...one, header: { 'If-Match': created.response.headers.get('etag') ?? '' } };
  const updated = await client.PATCH(`${methods}/{method_id}`, {
    params: change,
    body: { ...body, is_active: false },
  });
  const outdated = await client.PATCH(`${methods}/{method_id}`, { params: change, body });
  const deleted = await client.DELETE(`${methods}/{method_id}`, { params: one });
  const events = await client.GET('/api/projects/{project_id}/sales/orders/{order_id}/events', {
    params: { path: { ...path, order_id: orderId } },
  });

  const tooLate = outdated.error && 'current_version' in outdated.error ? outdated.error : undefined;

  return {
    created: created.data.carrier_label,
    isRefusedByName: error?.existing_id === created.data.id,
    listed: listed.data?.data.map((method) => method.method_label) ?? [],
    carriers: tree.data?.data.map((carrier) => carrier.carrier_code) ?? [],
    updated: updated.data?.version ?? 0,
    outdated: tooLate?.current_version ?? null,
    deleted: deleted.response.status,
    events: events.data?.data.map((event) => event.type) ?? [],
  };
}
