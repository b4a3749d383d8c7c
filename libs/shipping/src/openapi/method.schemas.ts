import type * as dto from '../shipping-methods/dto/shipping-method.dto.js';
import * as table from '../shipping-methods/method-fields.js';
import { valuesToStore } from '../shipping-methods/stored-values.js';
import { asciiCodePattern } from '../validation/text.js';
import * as s from './schema.js';

const kinds: s.Schemas<table.FieldKind> = {
  id: s.string(),
  code: s.string({ minLength: 1, pattern: asciiCodePattern.source }),
  label: s.string({ minLength: 1 }),
  boolean: s.boolean(),
  integer: s.int32(),
  json: s.json(),
  time: s.time(),
};

/** @param isRequest in a request, null stands for the default */
function schemasOf<Name extends table.FieldName>(names: readonly Name[], isRequest = false): s.Schemas<Name> {
  const schemas = names.map((name) => {
    const { kind, maxLength, nullable, description = '', default: value } = table.fieldOf(name);
    const isOptional = isRequest && value !== undefined;
    const text = isOptional ? `${description} Default: \`${JSON.stringify(value)}\`.`.trim() : description;
    const schema = { ...kinds[kind], maxLength, ...(text && { description: text }) };
    return [name, isOptional || (nullable && !isRequest) ? s.nullable(schema) : schema];
  });
  return Object.fromEntries(schemas) as s.Schemas<Name>;
}

const { id, version, created_at, updated_at, ...settable } = schemasOf(table.fieldNames);
const inherited = s.arrayOf(s.string({ enum: table.inheritedFields }));
const method: s.Schemas<keyof dto.ShippingMethodDto> = {
  id,
  project_id: s.string(),
  ...settable,
  inherited: inherited('The fields whose values now come from the defaults project.'),
  own: s.object('The stored values of the inherited fields.', schemasOf(table.inheritedFields), []),
  version: s.integer(version.description, { minimum: 1 }),
  etag: s.string(
    'The value for `If-Match`, with its quotes. It changes whenever a value of the method changes. While the method inherits, it also names the state of the default.',
  ),
  created_at,
  updated_at,
};
const methods = s.arrayOf(s.ref('ShippingMethod'))();
const firstLabel = s.string('The first label among its methods, or the code if there is none.');
const carrier: s.Schemas<keyof dto.ShippingCarrierDto> = {
  carrier_code: settable.carrier_code,
  carrier_label: { ...settable.carrier_label, ...firstLabel },
  is_active: s.boolean('True if any of its methods is active.'),
  sort_order: s.int32('The smallest `sort_order` of its methods.'),
  methods,
};
const count = s.integer({ minimum: 0 });
const counts = { page: count, per_page: count, total: count, total_pages: count };
const pageMeta = s.object('The number of the page, its size, and how many methods match.', counts);
const upsertDescription =
  'An optional field that is null goes back to its default. If a create leaves a field out, the field has its default. If an update leaves it out, it keeps its value.';
const required = table.settableFields.filter(table.isRequired);

export const methodSchemas: s.Schemas = {
  // The schemas have no `default`. A client that fills in defaults would overwrite fields that an update should leave
  // alone.
  UpsertShippingMethodRequest: s.closed(upsertDescription, schemasOf(table.settableFields, true), required),
  ShippingMethod: s.object('A shipping method with its inherited values.', method),
  ShippingMethodPage: s.object('One page. Its rows and its total come from the same moment.', {
    data: methods,
    meta: pageMeta,
  }),
  ShippingCarrier: s.object('A carrier and its methods, in the order of the list.', carrier),
  ShippingTree: s.object('All methods of a project, by carrier.', {
    data: s.arrayOf(s.ref('ShippingCarrier'))(),
  }),
};

const ups = { carrier_code: 'ups', carrier_label: 'United Parcel Service' };
const ground = { method_code: '03', method_label: 'UPS Ground' };
const request = { ...ups, ...ground, sort_order: 10, meta: { max_weight_kg: 68 } };
const answer: dto.ShippingMethodDto = {
  id: '019aa0b2-5c00-7a41-9d2b-6f0c8e1b7a35',
  project_id: 'acme',
  ...valuesToStore(request),
  inherited: [],
  own: {},
  version: 1,
  etag: '"1"',
  created_at: '2025-11-20T09:30:00.000Z',
  updated_at: '2025-11-20T09:30:00.000Z',
};
export const methodExamples = {
  UpsertShippingMethodRequest: request,
  ShippingMethod: answer,
  ShippingMethodPage: { data: [answer], meta: { page: 1, per_page: 20, total: 1, total_pages: 1 } },
  ShippingTree: { data: [{ ...ups, is_active: true, sort_order: 10, methods: [answer] }] },
};
