import type * as dto from '../shipping-methods/dto/shipping-method.dto.js';
import {
  type FieldKind,
  type FieldName,
  fieldNames,
  fieldOf,
  inheritedFields,
  isRequired,
  settableFields,
} from '../shipping-methods/method-fields.js';
import { ownValuesOf } from '../shipping-methods/own-values.js';
import * as s from './schema.js';

const but = (ascii: string): string => String.raw`[^${ascii}\x5B-\x5E\x60\x7B-\x7F]`;
const first = but(String.raw`\x00-\x2F\x3A-\x40`);
const inner = but(String.raw`\x00-\x1F\x21-\x27\x2A\x2C\x3B-\x3F`);
const last = but(String.raw`\x00-\x27\x2A\x2C\x3B-\x3F`);

/** The rule for codes as far as ASCII goes. Many tools compile patterns without the flag `u` of `\p{L}`. */
export const codeForm = `^${first}(${inner}*${last})?$`;

const codeRule =
  'Letters, combining marks and decimal digits of any script, spaces and `_()+-./:@`. It begins with a letter, a digit or `_`, does not end with a space, and is in Unicode NFC; the pattern has the part of this that is about ASCII. Codes are compared exactly: case and accents count.';
const labelRule = 'Trimmed and put into Unicode NFC before it is measured; no control characters.';

const kinds: s.Schemas<FieldKind> = {
  id: s.string(),
  code: s.string(codeRule, { minLength: 1, pattern: codeForm }),
  label: s.string(labelRule, { minLength: 1 }),
  boolean: s.boolean(),
  integer: s.int32(),
  json: s.json,
  time: s.time(),
};

/** @param areSent in a request, where null stands for the default */
function schemasOf<Name extends FieldName>(names: readonly Name[], areSent = false): s.Schemas<Name> {
  const schemas = names.map((name) => {
    const { kind, maxLength, nullable, description, default: value } = fieldOf(name);
    const isOptional = areSent && value !== undefined;
    const byDefault = isOptional ? `Default: \`${JSON.stringify(value)}\`.` : undefined;
    const told = [description, kinds[kind].description, byDefault].filter((part) => part !== undefined);
    const schema = { ...kinds[kind], maxLength, description: told.join(' ') || undefined };
    return [name, isOptional || (nullable && !areSent) ? s.nullable(schema) : schema];
  });
  return Object.fromEntries(schemas) as s.Schemas<Name>;
}

const { id, version, created_at, updated_at, ...settable } = schemasOf(fieldNames);

const method: s.Schemas<keyof dto.ShippingMethodDto> = {
  id,
  project_id: s.string(),
  ...settable,
  inherited: s.array(s.string(undefined, { enum: inheritedFields }), {
    description: 'The fields whose value now comes from the defaults project.',
  }),
  own: s.object('The stored values of exactly these fields.', {}, schemasOf(inheritedFields)),
  version: s.integer(version.description, { minimum: 1 }),
  etag: s.string(
    'For `If-Match`, quotes included. It changes whenever a field changes: while the method inherits, it also names the state of the default.',
  ),
  created_at,
  updated_at,
};

const carrier: s.Schemas<keyof dto.ShippingCarrierDto> = {
  carrier_code: settable.carrier_code,
  carrier_label: {
    ...settable.carrier_label,
    ...s.string('The first label among its methods, else the code.'),
  },
  is_active: s.boolean('True if any of its methods is.'),
  sort_order: s.int32('The smallest of its methods.'),
  methods: s.array(s.ref('ShippingMethod')),
};

const count = s.integer(undefined, { minimum: 0 });
const place: s.Schemas<keyof dto.ShippingMethodPage['meta']> = {
  page: count,
  per_page: count,
  total: count,
  total_pages: count,
};

export const methodSchemas: s.Schemas = {
  UpsertShippingMethodRequest: {
    type: 'object',
    // No `default` in the schema: a client that fills it in would undo what an update leaves alone.
    description:
      'An optional field that is null goes back to its default. Left out, it has its default in a create and keeps its value in an update.',
    required: settableFields.filter(isRequired),
    properties: schemasOf(settableFields, true),
    additionalProperties: false,
  },
  ShippingMethod: s.object('A shipping method with its inherited values.', method),
  ShippingMethodPage: s.object('One page; rows and total are of one moment.', {
    data: s.array(s.ref('ShippingMethod')),
    meta: s.object('Where the page is.', place),
  }),
  ShippingCarrier: s.object('A carrier and its methods, in order.', carrier),
  ShippingTree: s.object('The methods by carrier.', { data: s.array(s.ref('ShippingCarrier')) }),
};

const ups = { carrier_code: 'ups', carrier_label: 'United Parcel Service' };
const request = {
  ...ups,
  method_code: '03',
  method_label: 'UPS Ground',
  sort_order: 10,
  meta: { max_weight_kg: 68 },
};
const ground: dto.ShippingMethodDto = {
  id: '019aa0b2-5c00-7a41-9d2b-6f0c8e1b7a35',
  project_id: 'acme',
  ...ownValuesOf(request),
  inherited: [],
  own: {},
  version: 1,
  etag: '"1"',
  created_at: '2025-11-20T09:30:00.000Z',
  updated_at: '2025-11-20T09:30:00.000Z',
};

export const methodExamples = {
  UpsertShippingMethodRequest: request,
  ShippingMethod: ground,
  ShippingMethodPage: { data: [ground], meta: { page: 1, per_page: 20, total: 1, total_pages: 1 } },
  ShippingTree: { data: [{ ...ups, is_active: true, sort_order: 10, methods: [ground] }] },
};
