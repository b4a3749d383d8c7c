import { kindOf, operatorNames, operatorsFor } from '../shipping-methods/list/list-operators.js';
import * as list from '../shipping-methods/list/list-query.dto.js';
import { filterFields, searchedFields } from '../shipping-methods/method-fields.js';
import { identifierPattern } from '../validation/text.js';
import * as s from './schema.js';

const parameter =
  (location: 'path' | 'query' | 'header', required?: true) =>
  (name: string, description: string, schema: s.Schema = s.string, example?: string) => {
    return { name, in: location, required, description, schema, example };
  };
const [inPath, query, header] = [parameter('path', true), parameter('query'), parameter('header')];

const identifier = { ...s.string, pattern: identifierPattern.source };
export const orderId = inPath('order_id', 'The id of the order.', identifier);
export const methodId = inPath('method_id', 'The `id` of a method. It is opaque.');

/**
 * @param base the path of a mount, which may have parameters of the host
 * @param project the name of the parameter that is the project
 */
export function mountParameters(base: string, project: string) {
  const projectId = inPath(project, 'The project, which is a tenant or a shop.', identifier);
  const names = Array.from(base.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return names.map((name) => (name === project ? projectId : inPath(name, 'Another parameter of the path.')));
}

export const ifMatch = header(
  'If-Match',
  'The method is changed only while it has this `etag`. A version alone, such as `"3"`, guards the stored values, but not the default. A list matches if any of its members does, and `*` matches every method. A weak tag matches none.',
);
export const ifNoneMatch = header(
  'If-None-Match',
  'The ETag of an earlier response. The status is 304 while that ETag is current.',
);

const { conditions: maxItems, offset, parameterBytes, perPage, q: maxLength, values } = list.listLimits;
const bounds = `At most ${maxItems} conditions in \`filter\` and \`raw_filters\` together, ${values} values in each condition, and ${parameterBytes} bytes in each parameter.`;
const searched = searchedFields.map((name) => `\`${name}\``).join(', ');
const filterDescription =
  'A `ShippingFilter` as JSON, or `filter[carrier_code]=ups&filter[is_active]=true`, where a repeated key means "any of". Both at once are refused.';

function json(name: string, description: string, schema: string, example: object) {
  const text = { ...s.string, contentMediaType: 'application/json', contentSchema: s.ref(schema) };
  return query(name, `${description} ${bounds}`, text, JSON.stringify(example));
}

/** The query of a list. Each parameter may be left out, or be empty. */
export function listQuery(maxPageSize: number) {
  const size = { minimum: 1, maximum: maxPageSize, default: Math.min(perPage, maxPageSize) };
  const page = { ...s.integer, minimum: 1, maximum: offset + 1, default: 1 };
  const words = `Words. Each word must be a part of one of ${searched}. Case and accents are ignored.`;
  return [
    query('page', `(page − 1) × per_page is at most ${offset}.`, page),
    query('per_page', 'Out of range is refused, not clamped.', { ...s.integer, ...size }),
    query('q', words, { ...s.string, maxLength }),
    json('filter', filterDescription, 'ShippingFilter', { carrier_code: ['ups', 'dhl'], is_active: true }),
    json('raw_filters', '`ShippingRawFilters` as JSON.', 'ShippingRawFilters', [
      { field: 'method_label', op: 'contains', value: 'ground' },
    ]),
  ];
}

// Any text may be compared with a code or a label.
const kinds = { ...s.kinds, id: { ...s.string, format: 'uuid' }, code: s.string, label: s.string };
const oneOrMore = (value: s.Schema): s.Schema => ({ anyOf: [value, s.arrayOf(value, values)] });
const fields = filterFields.map((field) => [field, oneOrMore(kinds[kindOf(field)])]);
const kindsOfFields = [...new Set(filterFields.map(kindOf))];
const operators = kindsOfFields.map((kind) => `${kind}: ${operatorsFor(kind).join(' ')}`).join('; ');
const operatorsDescription = `The operators by kind of field: ${operators}. Times are RFC 3339 with an offset.`;
const valueDescription =
  'A list for `in` and `nin`, two values in order for `between`, true or false for `null`.';
const rawFilter: s.Fields<keyof list.FilterCondition> = {
  field: { ...s.string, enum: filterFields },
  op: { ...s.string, enum: operatorNames },
  value: s.about(valueDescription, oneOrMore({ anyOf: [s.string, kinds.integer, kinds.boolean] })),
};
const [condition, group] = [s.ref('ShippingRawFilter'), s.ref('ShippingRawFilterGroup')];
const orConditions = { or: s.arrayOf(condition, maxItems) };

export const filterSchemas = {
  ShippingFilter: s.closed(
    'Fields and the values that they must have. All of them must match. A list means "any of".',
    Object.fromEntries(fields),
    [],
  ),
  ShippingRawFilter: s.closed(operatorsDescription, rawFilter),
  ShippingRawFilterGroup: s.closed('At least one of these conditions must hold.', orConditions),
  ShippingRawFilters: s.about(
    'Conditions, all of which must hold. A member may be a group with `or`.',
    s.arrayOf({ anyOf: [condition, group] }, maxItems),
  ),
};
