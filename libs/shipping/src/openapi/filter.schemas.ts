import {
  kindOf,
  listLimits,
  operatorNames,
  operatorsFor,
  type RawFilter,
} from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { filterFields } from '../shipping-methods/method-fields.js';
import * as s from './schema.js';

const kinds = {
  id: s.string(undefined, { format: 'uuid' }),
  code: s.string(),
  label: s.string(),
  boolean: s.boolean(),
  integer: s.int32(),
  time: s.time(),
};

function oneOrMore(value: s.Schema, description?: string): s.Schema {
  return { anyOf: [value, s.array(value, { maxItems: listLimits.values })], description };
}

const operators = Array.from(
  new Set(filterFields.map(kindOf)),
  (kind) => `${kind}: ${operatorsFor(kind).join(' ')}`,
);
const rawFilterIs = `The operators by kind of field: ${operators.join('; ')}. Times are RFC 3339 with an offset.`;
const rawFilter: s.Schemas<keyof RawFilter> = {
  field: s.string(undefined, { enum: filterFields }),
  op: s.string(undefined, { enum: operatorNames }),
  value: oneOrMore(
    { anyOf: [s.string(), s.int32(), s.boolean()] },
    'A list for `in` and `nin`, two values in order for `between`, true or false for `null`.',
  ),
};

const fields = filterFields.map((field) => [field, oneOrMore(kinds[kindOf(field)])]);
const condition = { anyOf: [s.ref('ShippingRawFilter'), s.ref('ShippingRawFilterGroup')] };
const maxItems = listLimits.conditions;
const closed = { additionalProperties: false };

/** What the text of `filter` and `raw_filters` holds. */
export const filterSchemas: s.Schemas = {
  ShippingFilter: {
    ...s.object('Plain equality, AND-ed; a list means "any of".', {}, Object.fromEntries(fields)),
    ...closed,
  },
  ShippingRawFilter: { ...s.object(rawFilterIs, rawFilter), ...closed },
  ShippingRawFilterGroup: {
    ...s.object('At least one of these must hold.', {
      or: s.array(s.ref('ShippingRawFilter'), { maxItems }),
    }),
    ...closed,
  },
  ShippingRawFilters: s.array(condition, {
    description: 'Conditions, AND-ed, with one level of `or`.',
    maxItems,
  }),
};
