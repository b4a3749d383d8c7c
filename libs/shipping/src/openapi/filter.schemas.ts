import {
  filterFields,
  type FilterKind,
  filterOperators,
  listLimits,
  type RawFilter,
} from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { answer, array, boolean, int32Integer, ref, type Schema, string } from './schema.js';

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

const rawFilter = answer<RawFilter>(
  `The operators by kind of field: ${Object.entries(filterOperators)
    .map(([kind, operators]) => `${kind}: ${operators.join(' ')}`)
    .join('; ')}. Times are RFC 3339 with an offset.`,
  {
    field: { ...string, enum: Object.keys(filterFields) },
    op: { ...string, enum: filterOperators.text },
    value: {
      anyOf: oneOrMore({ anyOf: [string, int32Integer, boolean] }),
      description: 'A list for `in` and `nin`, two values in order for `between`, true or false for `null`.',
    },
  },
);
const rawFilters = { ...array(ref('ShippingRawFilter')), maxItems: listLimits.conditions };
const group = answer<{ or: RawFilter[] }>('At least one of these must hold.', { or: rawFilters });

/** What the text of `filter` and `raw_filters` holds. */
export const filterSchemas: Record<string, Schema> = {
  ShippingFilter: {
    type: 'object',
    description: 'Plain equality, AND-ed; a list means "any of".',
    properties: Object.fromEntries(
      Object.entries(filterFields).map(([field, kind]) => [field, { anyOf: oneOrMore(kinds[kind]) }]),
    ),
    additionalProperties: false,
  },
  ShippingRawFilter: { ...rawFilter, additionalProperties: false },
  ShippingRawFilterGroup: { ...group, additionalProperties: false },
  ShippingRawFilters: {
    ...rawFilters,
    description: 'Conditions, AND-ed, with one level of `or`.',
    items: { anyOf: [ref('ShippingRawFilter'), ref('ShippingRawFilterGroup')] },
  },
};
