import { listLimits } from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { identifierPattern } from '../validation/identifiers.js';
import { filterSchema, rawFiltersSchema } from './filter.schemas.js';
import { integer, type Schema, string } from './schema.js';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema?: Schema;
  content?: Record<string, { schema: Schema; example: unknown }>;
}

function inPath(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

const identifier = { ...string, pattern: identifierPattern.source };
const projectId = inPath('project_id', 'The tenant.', identifier);
export const orderId = inPath('order_id', 'The id that the host gave the order.', identifier);
export const methodId = inPath('method_id', 'The `id` of a method; opaque.', string);

/** @param base the path of the mount, which may have parameters of the host's own */
export function mountParameters(base: string): Parameter[] {
  return [...base.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    name === projectId.name ? projectId : inPath(name, "The host's own.", string),
  );
}

function header(name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: string };
}

export const ifMatch = header(
  'If-Match',
  'Only while the method is at this version: `"3"`, a list of them, or `*`. Weak tags match none.',
);
export const ifNoneMatch = header(
  'If-None-Match',
  'The ETag of an earlier answer: 304 while nothing has changed.',
);

const bounds = `At most ${listLimits.conditions} conditions over \`filter\` and \`raw_filters\`, ${listLimits.values} values in each, ${listLimits.parameterBytes} bytes in each parameter.`;

/** The query of a list. Each parameter may be left out, or be empty. */
export function listQuery(maxPageSize: number): Parameter[] {
  const query = (name: string, description: string, schema: Schema): Parameter => ({
    name,
    in: 'query',
    description,
    schema,
  });
  const json = (name: string, description: string, schema: Schema, example: unknown): Parameter => ({
    name,
    in: 'query',
    description: `${description} ${bounds}`,
    content: { 'application/json': { schema, example } },
  });
  const perPage = Math.min(listLimits.perPage, maxPageSize);
  return [
    query('page', `(page − 1) × per_page is at most ${listLimits.offset}.`, {
      ...integer,
      minimum: 1,
      maximum: listLimits.offset + 1,
      default: 1,
    }),
    query('per_page', 'Out of range is refused, not clamped.', {
      ...integer,
      minimum: 1,
      maximum: maxPageSize,
      default: perPage,
    }),
    query('q', 'Words, each of which must stand, case aside, in one of the two codes or labels.', {
      ...string,
      maxLength: listLimits.q,
    }),
    json(
      'filter',
      'Plain equality, AND-ed; a list means "any of". Instead of JSON it may be spelt `filter[carrier_code]=ups&filter[is_active]=true`, a repeated key meaning "any of"; not both at once.',
      filterSchema,
      { carrier_code: ['ups', 'dhl'], is_active: true },
    ),
    json('raw_filters', 'Conditions, AND-ed, with one level of `or`.', rawFiltersSchema, [
      { field: 'method_label', op: 'contains', value: 'ground' },
    ]),
  ];
}
