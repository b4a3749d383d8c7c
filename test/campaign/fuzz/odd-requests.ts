import { oddTexts } from './odd.js';
import { type FuzzRequest, percent } from './requests.js';

const orders = '/api/projects/p1/sales/orders';
const methods = `${orders}/shipments/methods`;
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
const json = (value: unknown): string => percent(JSON.stringify(value));

const inQuery: ((text: string) => string)[] = [
  ...[
    'q',
    'page',
    'per_page',
    'filter',
    'raw_filters',
    'filter[carrier_code]',
    'filter[version]',
    'filter[id]',
  ].map((name) => (text: string) => `${name}=${percent(text)}`),
  (text) => `${percent(text)}=1`,
  (text) => `filter[${percent(text)}]=1`,
  (text) => `filter=${json({ method_label: [text] })}`,
  (text) => `filter=${json({ created_at: text })}`,
  (text) => `raw_filters=${json([{ field: text, op: 'eq', value: 'x' }])}`,
  (text) => `raw_filters=${json([{ field: 'method_code', op: text, value: 'x' }])}`,
  ...['eq', 'contains', 'starts', 'gt', 'null'].map(
    (op) => (value: string) => `raw_filters=${json([{ or: [{ field: 'carrier_label', op, value }] }])}`,
  ),
];

const inPath: ((text: string) => [method: string, target: string])[] = [
  (text) => ['GET', `/api/projects/${text}/sales/orders/shipments/methods`],
  (text) => ['GET', `/api/projects/${text}/sales/orders/shipments/methods/tree`],
  (text) => ['GET', `${orders}/${text}/events`],
  (text) => ['DELETE', `${methods}/${text}`],
];

const inBody: ((text: string) => string)[] = [
  ...[
    'carrier_code',
    'carrier_label',
    'method_code',
    'method_label',
    'is_active',
    'sort_order',
    'meta',
    'use_default',
  ].map((field) => (text: string) => JSON.stringify({ ...ground, [field]: text })),
  (text) => JSON.stringify({ ...ground, method_code: 'odd', meta: { a: [text] } }),
  (text) =>
    `{"carrier_code":"ups","method_code":"odd","method_label":"x","meta":{${JSON.stringify(text)}:1}}`,
  (text) => `{"carrier_code":"ups","method_code":"odd","method_label":"x",${JSON.stringify(text)}:1}`,
  (text) => text,
];

/** Every odd text in every place, once. Random requests would not have all of these combinations. */
export const oddRequests: readonly FuzzRequest[] = oddTexts.flatMap((text): FuzzRequest[] => [
  ...inQuery.map((query) => get(`${methods}?${query(text)}`)),
  ...inPath.map((path) => {
    const [method, target] = path(percent(text));
    return { ...get(target), method };
  }),
  ...inBody.flatMap((make) =>
    [`POST ${methods}`, `PATCH ${methods}/{known:0}`].map((line) => {
      const [method = '', target = ''] = line.split(' ');
      const headers = { 'content-type': 'application/json' };
      return { method, target, headers, body: make(text), isValid: false };
    }),
  ),
]);

function get(target: string): FuzzRequest {
  return { method: 'GET', target, headers: {}, isValid: false };
}
