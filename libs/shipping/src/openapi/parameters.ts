import { listLimits } from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { identifierPattern } from '../validation/identifiers.js';
import { type Dialect, integer, type Schema, string } from './schema.js';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: Schema;
  example?: string;
}

const parameter =
  (place: Parameter['in']) =>
  (name: string, description: string, schema: Schema = string): Parameter => {
    return { name, in: place, ...(place === 'path' && { required: true }), description, schema };
  };
const [inPath, query, header] = [parameter('path'), parameter('query'), parameter('header')];

const identifier = { ...string, pattern: identifierPattern.source };
const projectId = inPath('project_id', 'The tenant.', identifier);
export const orderId = inPath('order_id', 'The id that the host gave the order.', identifier);
export const methodId = inPath('method_id', 'The `id` of a method; opaque.');

/** @param base the path of the mount, which may have parameters of the host's own */
export function mountParameters(base: string): Parameter[] {
  return [...base.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    name === projectId.name ? projectId : inPath(name, "The host's own."),
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

const bounds = `At most ${listLimits.conditions} conditions over \`filter\` and \`raw_filters\`, ${listLimits.values} values in each, ${listLimits.parameterBytes} bytes in each parameter.`;

/** The query of a list. Each parameter may be left out, or be empty. */
export function listQuery(maxPageSize: number, { jsonText }: Dialect): Parameter[] {
  const json = (name: string, description: string, schema: string, example: unknown): Parameter => ({
    ...query(name, `${description} ${bounds}`, jsonText(schema)),
    example: JSON.stringify(example),
  });
  const perPageDefault = Math.min(listLimits.perPage, maxPageSize);
  const page = { ...integer, minimum: 1, maximum: listLimits.offset + 1, default: 1 };
  const perPage = { ...integer, minimum: 1, maximum: maxPageSize, default: perPageDefault };
  const words = { ...string, maxLength: listLimits.q };
  return [
    query('page', `(page − 1) × per_page is at most ${listLimits.offset}.`, page),
    query('per_page', 'Out of range is refused, not clamped.', perPage),
    query('q', 'Words, each of which must stand, case aside, in one of the two codes or labels.', words),
    json(
      'filter',
      'A `ShippingFilter` as JSON. Instead it may be spelt `filter[carrier_code]=ups&filter[is_active]=true`, a repeated key meaning "any of"; not both at once.',
      'ShippingFilter',
      { carrier_code: ['ups', 'dhl'], is_active: true },
    ),
    json('raw_filters', '`ShippingRawFilters` as JSON.', 'ShippingRawFilters', [
      { field: 'method_label', op: 'contains', value: 'ground' },
    ]),
  ];
}
