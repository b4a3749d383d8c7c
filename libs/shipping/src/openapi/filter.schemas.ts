import {
  filterFields,
  type FilterKind,
  filterOperators,
  listLimits,
  type RawFilter,
} from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { array, boolean, int32Integer, type Properties, ref, type Schema, string } from './schema.js';

const kinds: Record<FilterKind, Schema> = {
  id: { ...string, format: 'uuid' },
  text: string,
  boolean,
  integer: int32Integer,
  time: { ...string, format: 'date-time' },
};

function oneOrMore(value: Schema): Schema[] {
  return [value, { ...array(value), maxItems: listLimits.values }];
}

export const filterSchema: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(filterFields).map(([field, kind]) => [field, { anyOf: oneOrMore(kinds[kind]) }]),
  ),
  additionalProperties: false,
};

const rawFilterProperties: Properties<keyof RawFilter> = {
  field: { ...string, enum: Object.keys(filterFields) },
  op: { ...string, enum: filterOperators.text },
  value: {
    anyOf: oneOrMore({ anyOf: [string, int32Integer, boolean] }),
    description: 'A list for `in` and `nin`, two values in order for `between`, true or false for `null`.',
  },
};

export const rawFilterSchema: Schema = {
  type: 'object',
  description: `The operators by kind of field: ${Object.entries(filterOperators)
    .map(([kind, operators]) => `${kind}: ${operators.join(' ')}`)
    .join('; ')}. Times are RFC 3339 with an offset.`,
  required: Object.keys(rawFilterProperties),
  properties: rawFilterProperties,
  additionalProperties: false,
};

export const rawFiltersSchema: Schema = {
  ...array({
    anyOf: [
      ref('ShippingRawFilter'),
      {
        type: 'object',
        required: ['or'],
        properties: { or: { ...array(ref('ShippingRawFilter')), maxItems: listLimits.conditions } },
        additionalProperties: false,
      },
    ],
  }),
  maxItems: listLimits.conditions,
};
