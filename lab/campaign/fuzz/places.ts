import { type FuzzRequest, percent } from './requests.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
const json = (value: unknown): string => percent(JSON.stringify(value));

const fields = ['carrier_code', 'version', 'id', 'is_active', 'created_at'];
const operators = ['eq', 'contains', 'starts', 'gt', 'null'];
const inQuery: ((text: string) => string)[] = [
  ...['q', 'page', 'per_page', 'filter', 'raw_filters', ...fields.map((field) => `filter[${field}]`)].map(
    (name) => (text: string) => `${name}=${percent(text)}`,
  ),
  (text) => `filter[${percent(text)}]=1`,
  (text) => `filter=${json({ [text]: 'x' })}`,
  (text) => `filter=${json({ method_label: [text] })}`,
  (text) => `filter=${json({ created_at: text })}`,
  (text) => `raw_filters=${json([{ field: text, op: 'eq', value: 'x' }])}`,
  (text) => `raw_filters=${json([{ field: 'method_code', op: text, value: 'x' }])}`,
  (text) => `raw_filters=${json([{ field: 'carrier_code', op: 'in', value: [text] }])}`,
  (text) => `raw_filters=${json([{ field: 'carrier_label', op: 'between', value: [text, text] }])}`,
  ...operators.map(
    (op) => (value: string) => `raw_filters=${json([{ or: [{ field: 'carrier_label', op, value }] }])}`,
  ),
];

const members = [...Object.keys(ground), 'carrier_label', 'is_active', 'sort_order', 'meta', 'use_default'];
const inBody: ((text: string) => string)[] = [
  ...members.map((field) => (text: string) => JSON.stringify({ ...ground, [field]: text })),
  (text) => JSON.stringify({ ...ground, method_code: 'odd', meta: { a: [text] } }),
  (text) =>
    `{"carrier_code":"ups","method_code":"odd","method_label":"x","meta":{${JSON.stringify(text)}:1}}`,
  (text) => `{"carrier_code":"ups","method_code":"odd","method_label":"x",${JSON.stringify(text)}:1}`,
  (text) => text,
];

/** The lists with this text in each place of their query. */
export function listsWith(text: string, project: string): FuzzRequest[] {
  return inQuery.map((query) => plain('GET', `${methodsOf(project)}?${query(text)}`));
}

/** Requests with this text in each other place: of a path, of a header and of a body. */
export function requestsWith(text: string, project: string): FuzzRequest[] {
  const methods = methodsOf(project);
  const own = `${methods}/{known:0}`;
  const inHeader = Array.from(text, (one) => (/[\x20-\x7E]/.test(one) ? one : '?')).join('');
  const body = (given: string): Partial<FuzzRequest> => ({
    body: given,
    headers: { 'content-type': 'application/json' },
  });
  return [
    plain('GET', `/api/projects/${percent(text)}/sales/orders/shipments/methods`),
    plain('GET', `/api/projects/${percent(text)}/sales/orders/shipments/methods/tree`),
    plain('GET', `/api/projects/${project}/sales/orders/${percent(text)}/events`),
    plain('GET', `${methods}?${percent(text)}=1`),
    plain('DELETE', `${methods}/${percent(text)}`),
    { ...plain('DELETE', own), headers: { 'if-match': `"${inHeader}"` } },
    { ...plain('GET', `${methods}/tree`), headers: { 'if-none-match': inHeader } },
    ...inBody.flatMap((make) => [
      { ...plain('POST', methods), ...body(make(text)) },
      { ...plain('PATCH', own), ...body(make(text)) },
    ]),
  ];
}

function methodsOf(project: string): string {
  return `/api/projects/${project}/sales/orders/shipments/methods`;
}

function plain(method: string, target: string): FuzzRequest {
  return { method, target, headers: {}, isValid: false };
}
