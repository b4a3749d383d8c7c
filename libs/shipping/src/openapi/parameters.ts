import { listLimits } from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { identifierPattern } from '../validation/identifiers.js';
import * as s from './schema.js';

const parameter =
  (place: 'path' | 'query' | 'header') =>
  (name: string, description: string, schema = s.string(), example?: string) => {
    return { name, in: place, required: place === 'path' || undefined, description, schema, example };
  };
const [inPath, query, header] = [parameter('path'), parameter('query'), parameter('header')];

export type Parameter = ReturnType<typeof query>;

const identifier = s.string(undefined, { pattern: identifierPattern.source });
const ours = [
  inPath('project_id', 'The tenant.', identifier),
  inPath('order_id', 'The id that the host gave the order.', identifier),
  inPath('method_id', 'The `id` of a method; opaque.'),
];

/** @param route its path, which may have parameters of the host's own */
export function pathParameters(route: string): Parameter[] {
  return Array.from(
    route.matchAll(/\{(\w+)\}/g),
    ([, name = '']) => ours.find((known) => known.name === name) ?? inPath(name, "The host's own."),
  );
}

export const ifMatch = header(
  'If-Match',
  'Only while the method has this `etag`. A version alone, such as `"3"`, guards what is stored, not the default. A list allows any of its members, `*` any method. Weak tags match none.',
);
export const ifNoneMatch = header(
  'If-None-Match',
  'The ETag of an earlier answer: 304 while nothing has changed.',
);

const { conditions, offset, parameterBytes, values } = listLimits;
const bounds = `At most ${conditions} conditions over \`filter\` and \`raw_filters\`, ${values} values in each, ${parameterBytes} bytes in each parameter.`;

function json(name: string, description: string, schema: string, example: object): Parameter {
  const text = s.string(undefined, { contentMediaType: 'application/json', contentSchema: s.ref(schema) });
  return query(name, `${description} ${bounds}`, text, JSON.stringify(example));
}

const page = s.integer(undefined, { minimum: 1, maximum: offset + 1, default: 1 });
const words = s.string(undefined, { maxLength: listLimits.q });
const filter = { carrier_code: ['ups', 'dhl'], is_active: true };
const rawFilters = [{ field: 'method_label', op: 'contains', value: 'ground' }];

/** The query of a list. Each parameter may be left out, or be empty. */
export function listQuery(maxPageSize: number): Parameter[] {
  const perPage = { ...page, maximum: maxPageSize, default: Math.min(listLimits.perPage, maxPageSize) };
  return [
    query('page', `(page − 1) × per_page is at most ${offset}.`, page),
    query('per_page', 'Out of range is refused, not clamped.', perPage),
    query('q', 'Words. Each must be a part of one of the two codes or labels, whatever the case.', words),
    json(
      'filter',
      'A `ShippingFilter` as JSON, or `filter[carrier_code]=ups&filter[is_active]=true`, where a repeated key means "any of". Both at once are refused.',
      'ShippingFilter',
      filter,
    ),
    json('raw_filters', '`ShippingRawFilters` as JSON.', 'ShippingRawFilters', rawFilters),
  ];
}
