import { type RecordOrderEvent } from 'nestjs-shipping';
import { type Client } from '../../support/client.js';

/** A place in a request where a client can put a text. */
export interface Place {
  name: string;
  /** @param id a method of the client's project */
  send: (client: Client, text: string, id: string) => Promise<{ status: number; text: string }>;
  /** A read that must find no method, whatever the text is. */
  findsNothing?: true;
}

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
const id = '01890000-0000-7000-8000-000000000000';

/** Lone surrogates cannot be part of a URL. The JSON places test them. */
function inUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function inHeader(text: string): string {
  return Array.from(text, (character) => (/[\x20-\x7E]/.test(character) ? character : '?')).join('');
}

function query(name: string, make: (text: string) => string): Place {
  return {
    name,
    findsNothing: true,
    send: (client, text) => client.list(make(text)),
  };
}

function raw(filter: (text: string) => object): (text: string) => string {
  return (text) => `raw_filters=${inUrl(JSON.stringify([filter(text)]))}`;
}

const operators = ['eq', 'in', 'contains', 'starts', 'gt', 'between'];
const fields = ['id', 'carrier_code', 'carrier_label', 'sort_order', 'is_active', 'created_at'];

const reads: Place[] = [
  query('q', (text) => `q=${inUrl(text)}`),
  query('page', (text) => `page=${inUrl(text)}`),
  query('per_page', (text) => `per_page=${inUrl(text)}`),
  query('filter as text', (text) => `filter=${inUrl(text)}`),
  query('filter, a field', (text) => `filter=${inUrl(`{${JSON.stringify(text)}:"x"}`)}`),
  query('filter[field]', (text) => `filter[${inUrl(text)}]=x`),
  query('raw_filters as text', (text) => `raw_filters=${inUrl(text)}`),
  query(
    'raw_filters, a field',
    raw((field) => ({ field, op: 'eq', value: 'x' })),
  ),
  query(
    'raw_filters, an op',
    raw((op) => ({ field: 'method_label', op, value: 'x' })),
  ),
  ...fields.map((field) =>
    query(`filter, ${field}`, (text) => `filter=${inUrl(JSON.stringify({ [field]: text }))}`),
  ),
  ...fields.map((field) => query(`filter[${field}]`, (text) => `filter[${field}]=${inUrl(text)}`)),
  ...operators.map((op) => {
    const value = (text: string): unknown => (op === 'in' ? [text] : op === 'between' ? [text, text] : text);
    // No text is greater than the last code point.
    const bounded = (text: string): string => (op === 'gt' ? `\u{10FFFF}${text}` : text);
    return query(
      `raw_filters, ${op}`,
      raw((text) => ({ field: 'method_label', op, value: value(bounded(text)) })),
    );
  }),
];

const changed = (name: string, body: (text: string) => unknown): Place[] => [
  { name: `POST ${name}`, send: (client, text) => client.create(body(text)) },
  { name: `PATCH ${name}`, send: (client, text, own) => client.update(own, body(text)) },
];

const bodies: Place[] = [
  ...[
    'carrier_code',
    'method_code',
    'carrier_label',
    'method_label',
    'is_active',
    'sort_order',
    'use_default',
  ].flatMap((field) => changed(field, (text) => ({ ...ground, [field]: text }))),
  ...changed(
    'an unknown field',
    (text) => `{"carrier_code":"ups","method_code":"03","method_label":"x",${JSON.stringify(text)}:1}`,
  ),
  ...changed('meta', (meta) => ({ ...ground, meta })),
  ...changed('a value in meta', (text) => ({ ...ground, method_code: 'meta', meta: { a: [text] } })),
  ...changed(
    'a key in meta',
    (text) =>
      `{"carrier_code":"ups","method_code":"key","method_label":"x","meta":{${JSON.stringify(text)}:1}}`,
  ),
  ...changed('the whole body', (text) => text),
];

const paths: Place[] = [
  {
    name: 'project_id',
    send: (client, text) => client.send('GET', `/api/projects/${inUrl(text)}/sales/orders/shipments/methods`),
  },
  {
    name: 'project_id of tree',
    send: (client, text) =>
      client.send('GET', `/api/projects/${inUrl(text)}/sales/orders/shipments/methods/tree`),
  },
  { name: 'order_id', send: (client, text) => client.events(inUrl(text)) },
  { name: 'method_id of PATCH', send: (client, text) => client.update(inUrl(text), ground) },
  { name: 'method_id of DELETE', send: (client, text) => client.remove(inUrl(text)) },
  {
    name: 'If-Match of PATCH',
    send: (client, text, own) => client.update(own, ground, { 'if-match': `"${inHeader(text)}"` }),
  },
  { name: 'If-Match of DELETE', send: (client, text) => client.remove(id, { 'if-match': inHeader(text) }) },
  { name: 'If-None-Match', send: (client, text) => client.tree({ 'if-none-match': `"${inHeader(text)}"` }) },
];

export const places: readonly Place[] = [...paths, ...reads, ...bodies];

/** Places in an event, which only the service accepts. */
export const eventPlaces: readonly ((text: string) => object)[] = [
  (type) => ({ type }),
  (message) => ({ message }),
  (text) => ({ data: { a: text } }),
  (text) => ({ data: Object.fromEntries([[text, 1]]) }),
  (text) => ({ actor: { type: text } }),
  (text) => ({ actor: { type: 'user', id: text.slice(0, 64), label: text } }),
  (orderId) => ({ orderId }),
  (projectId) => ({ projectId }),
  (dedupeKey) => ({ dedupeKey }),
  (occurredAt) => ({ occurredAt }),
] satisfies ((text: string) => Partial<Record<keyof RecordOrderEvent, unknown>>)[];
