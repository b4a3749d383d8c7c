import * as list from '../shipping-methods/list/list-query.dto.js';
import { filterFields, searchedFields } from '../shipping-methods/method-fields.js';
import { identifierPattern } from '../validation/identifiers.js';
import * as s from './schema.js';

const parameter =
  (location: 'path' | 'query' | 'header', required?: true) =>
  (name: string, description: string, schema = s.string(), example?: string) => {
    return { name, in: location, required, description, schema, example };
  };
const [inPath, query, header] = [parameter('path', true), parameter('query'), parameter('header')];
type Parameter = ReturnType<typeof query>;

const identifier = s.string({ pattern: identifierPattern.source });

/**
 * @param route the path of a route, which may have parameters of the host
 * @param project the name of the parameter that is the project
 */
export function pathParameters(route: string, project: string): Parameter[] {
  const ours = [
    inPath(project, 'The tenant.', identifier),
    inPath('order_id', 'The id that the host gave the order.', identifier),
    inPath('method_id', 'The `id` of a method. It is opaque.'),
  ];
  const names = Array.from(route.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return names.map(
    (name) => ours.find((known) => known.name === name) ?? inPath(name, 'A parameter of the host.'),
  );
}

export const ifMatch = header(
  'If-Match',
  'The method is changed only while it has this `etag`. A version alone, such as `"3"`, guards the stored values, but not the default. A list matches if any of its members does, and `*` matches every method. A weak tag matches none.',
);
export const ifNoneMatch = header(
  'If-None-Match',
  'The ETag of an earlier answer. The answer is 304 while that ETag is current.',
);

const { conditions: maxItems, offset, parameterBytes, q: maxLength, values } = list.listLimits;
const bounds = `At most ${maxItems} conditions in \`filter\` and \`raw_filters\` together, ${values} values in each condition, and ${parameterBytes} bytes in each parameter.`;

function json(name: string, description: string, schema: string, example: object): Parameter {
  const text = s.string({ contentMediaType: 'application/json', contentSchema: s.ref(schema) });
  return query(name, `${description} ${bounds}`, text, JSON.stringify(example));
}

const filterDescription =
  'A `ShippingFilter` as JSON, or `filter[carrier_code]=ups&filter[is_active]=true`, where a repeated key means "any of". Both at once are refused.';
const filter = { carrier_code: ['ups', 'dhl'], is_active: true };
const rawFilters = [{ field: 'method_label', op: 'contains', value: 'ground' }];

/** The query of a list. Each parameter may be left out, or be empty. */
export function listQuery(maxPageSize: number): Parameter[] {
  const searched = searchedFields.map((name) => `\`${name}\``).join(', ');
  const words = s.string({ maxLength });
  const page = s.integer({ minimum: 1, maximum: offset + 1, default: 1 });
  const perPage = { ...page, maximum: maxPageSize, default: Math.min(list.listLimits.perPage, maxPageSize) };
  return [
    query('page', `(page − 1) × per_page is at most ${offset}.`, page),
    query('per_page', 'Out of range is refused, not clamped.', perPage),
    query('q', `Words. Each word must be a part of one of ${searched}, in upper or lower case.`, words),
    json('filter', filterDescription, 'ShippingFilter', filter),
    json('raw_filters', '`ShippingRawFilters` as JSON.', 'ShippingRawFilters', rawFilters),
  ];
}

const uuid = s.string({ format: 'uuid' });
const text = s.string();
const kinds = { id: uuid, code: text, label: text, boolean: s.boolean(), integer: s.int32(), time: s.time() };
const oneOrMore = (value: s.Schema): s.Schema => ({ anyOf: [value, s.arrayOf(value)({ maxItems: values })] });

const kindsOfFields = [...new Set(filterFields.map(list.kindOf))];
const operators = kindsOfFields.map((kind) => `${kind}: ${list.operatorsFor(kind).join(' ')}`).join('; ');
const operatorsDescription = `The operators by kind of field: ${operators}. Times are RFC 3339 with an offset.`;
const valueDescription =
  'A list for `in` and `nin`, two values in order for `between`, true or false for `null`.';
const rawFilter: s.Schemas<keyof list.RawFilter> = {
  field: s.string({ enum: filterFields }),
  op: s.string({ enum: list.operatorNames }),
  value: { ...oneOrMore({ anyOf: [text, s.int32(), s.boolean()] }), description: valueDescription },
};
const [condition, orGroup] = [s.ref('ShippingRawFilter'), s.ref('ShippingRawFilterGroup')];
const orConditions = { or: s.arrayOf(condition)({ maxItems }) };
const conditions = s.arrayOf({ anyOf: [condition, orGroup] });
const fields = filterFields.map((field) => [field, oneOrMore(kinds[list.kindOf(field)])]);

export const filterSchemas: s.Schemas = {
  ShippingFilter: s.closed(
    'Fields and the values that they must have. All of them must match. A list means "any of".',
    Object.fromEntries(fields),
    [],
  ),
  ShippingRawFilter: s.closed(operatorsDescription, rawFilter),
  ShippingRawFilterGroup: s.closed('At least one of these conditions must hold.', orConditions),
  ShippingRawFilters: conditions('Conditions, all of which must hold. A member may be a group with `or`.', {
    maxItems,
  }),
};
