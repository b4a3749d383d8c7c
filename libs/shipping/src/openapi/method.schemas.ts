import type * as dto from '../shipping-methods/dto/shipping-method.dto.js';
import * as fields from '../shipping-methods/method-fields.js';
import { valuesToStore } from '../shipping-methods/stored-values.js';
import { inheritableFields } from '../shipping-methods/use-default.js';
import * as s from './schema.js';

const inherited = s.arrayOf({ ...s.string, enum: inheritableFields });

/** Returns the schema of a boolean, or of names of fields. */
function byField({ description, ...flag }: s.Schema): s.Schema {
  return { description, anyOf: [flag, { ...inherited, uniqueItems: true }] };
}

/** @param isRequest in a request, null stands for the default */
function schemasOf<Name extends fields.FieldName>(names: readonly Name[], isRequest = false) {
  const schemas = names.map((name) => {
    const { kind, maxLength, nullable, description = '', default: value } = fields.fieldOf(name);
    const isOptional = isRequest && value !== undefined;
    const text = isOptional ? `${description} Default: \`${JSON.stringify(value)}\`.`.trim() : description;
    const schema = { ...s.kinds[kind], maxLength, ...(text && { description: text }) };
    const ofName = isOptional || nullable ? s.nullable(schema) : schema;
    return [name, name === 'use_default' ? byField(ofName) : ofName];
  });
  return Object.fromEntries(schemas) as Record<Name, s.Schema>;
}

const request = {
  carrier_code: 'ups',
  carrier_label: 'United Parcel Service',
  method_code: '03',
  method_label: 'UPS Ground',
  sort_order: 10,
  meta: { max_weight_kg: 68 },
};
export const exampleMethod: dto.ShippingMethodDto = {
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

const { id, version, created_at, updated_at, ...settable } = schemasOf(fields.fieldNames);
const upsertDescription =
  'An optional field that is null goes back to its default. If a create leaves a field out, the field has its default. If an update leaves it out, it keeps its value. If an update without `use_default` sends a value that a field cannot inherit, the field is no longer inherited.';
const required = fields.settableFields.filter(fields.isRequired);
const upsert = s.closed(upsertDescription, schemasOf(fields.settableFields, true), required);
const method: s.Fields<keyof dto.ShippingMethodDto> = {
  id,
  project_id: s.string,
  ...settable,
  inherited: s.about('The fields whose values now come from the defaults project.', inherited),
  own: s.object('The stored values of the inherited fields.', schemasOf(inheritableFields), []),
  version: { ...s.integer, minimum: 1, description: version.description },
  etag: s.about(
    'The value for `If-Match`, with its quotes. It changes whenever a value of the method changes. While the method inherits, it also names the state of the default.',
  ),
  created_at,
  updated_at,
};
const methods = s.arrayOf(s.ref('ShippingMethod'));
const firstLabel = s.about('The first label among its methods, or the code if there is none.');
const carrier: s.Fields<keyof dto.ShippingMethodTreeCarrier> = {
  carrier_code: settable.carrier_code,
  carrier_label: { ...settable.carrier_label, ...firstLabel },
  is_active: s.about('True if any of its methods is active.', s.kinds.boolean),
  sort_order: s.about('The smallest `sort_order` of its methods.', s.kinds.integer),
  methods,
};
const count = { ...s.integer, minimum: 0 };
const counts = { page: count, per_page: count, total: count, total_pages: count };
const meta = s.object('The number of the page, its size, and how many methods match.', counts);
const carriers = s.arrayOf(s.ref('ShippingMethodTreeCarrier'));

export const methodSchemas = {
  // The schemas have no `default`. A client that fills in defaults would overwrite fields that an update should leave
  // alone.
  UpsertShippingMethodRequest: { ...upsert, example: request },
  ShippingMethod: {
    ...s.object('A shipping method with its inherited values.', method),
    example: exampleMethod,
  },
  ShippingMethodPage: s.object('One page. Its rows and its total come from the same moment.', {
    data: methods,
    meta,
  }),
  ShippingMethodTreeCarrier: s.object('A carrier and its methods, in the order of the list.', carrier),
  ShippingMethodTree: s.object('All methods of a project, by carrier.', { data: carriers }),
};
