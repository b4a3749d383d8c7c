import {
  type InheritedField,
  type ShippingCarrierDto,
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingTree,
} from '../shipping-methods/dto/shipping-method.dto.js';
import {
  maxLengths,
  methodDefaults,
  upsertFields,
} from '../shipping-methods/dto/upsert-shipping-method.dto.js';
import {
  answer,
  array,
  boolean,
  type Dialect,
  id,
  int32Integer,
  integer,
  json,
  type Properties,
  ref,
  type Schema,
  string,
  time,
} from './schema.js';

const but = (ascii: string): string => String.raw`[^${ascii}\x5B-\x5E\x60\x7B-\x7F]`;
const first = but(String.raw`\x00-\x2F\x3A-\x40`);
const inner = but(String.raw`\x00-\x1F\x21-\x27\x2A\x2C\x3B-\x3F`);
const last = but(String.raw`\x00-\x27\x2A\x2C\x3B-\x3F`);

/** The rule for codes as far as ASCII goes. Many tools compile patterns without the flag `u` of `\p{L}`. */
export const codeForm = `^${first}(${inner}*${last})?$`;

function code(maxLength: number) {
  const description =
    'Letters, combining marks and decimal digits of any script, spaces and `_()+-./:@`. It begins with a letter, a digit or `_`, does not end with a space, and is in Unicode NFC; the pattern has the part of this that is about ASCII. Codes are compared exactly: case and accents count.';
  return { type: 'string', minLength: 1, maxLength, pattern: codeForm, description };
}

const label = {
  type: 'string',
  minLength: 1,
  maxLength: maxLengths.label,
  description: 'Trimmed and put into Unicode NFC before it is measured; no control characters.',
};

const count: Schema = { ...integer, minimum: 0 };

const fields = {
  carrier_code: code(maxLengths.carrierCode),
  carrier_label: label,
  method_code: code(maxLengths.methodCode),
  method_label: label,
  is_active: { type: 'boolean', description: 'Whether a checkout offers it.' },
  sort_order: { ...int32Integer, type: 'integer', description: 'Lower first.' },
  meta: { ...json, description: `The host's own data, replaced whole, never merged. ${json.description}` },
  use_default: {
    type: 'boolean',
    description: 'Presents labels, order and meta of the method with the same codes in the defaults project.',
  },
} satisfies Properties<(typeof upsertFields)[number]>;

export function methodSchemas({ nullable }: Dialect): Record<string, Schema> {
  const optional = Object.entries(methodDefaults).map(([field, value]) => {
    const schema = fields[field as keyof typeof methodDefaults];
    const description = `${schema.description} Default: \`${JSON.stringify(value)}\`.`;
    return [field, nullable({ ...schema, description })] as const;
  });
  const own: Properties<InheritedField> = {
    carrier_label: nullable(label),
    method_label: label,
    sort_order: fields.sort_order,
    meta: fields.meta,
  };
  return {
    UpsertShippingMethodRequest: {
      type: 'object',
      // No `default` in the schema: a client that fills it in would undo what an update leaves alone.
      description:
        'An optional field that is null goes back to its default. Left out, it has its default in a create and keeps its value in an update.',
      required: upsertFields.filter((field) => !(field in methodDefaults)),
      properties: { ...fields, ...Object.fromEntries(optional) },
      additionalProperties: false,
    },
    ShippingMethod: answer<ShippingMethodDto>('A shipping method as it is presented.', {
      id,
      project_id: string,
      ...fields,
      carrier_label: nullable(label),
      inherited: {
        ...array({ ...string, enum: Object.keys(own) }),
        description: 'The fields whose value now comes from the defaults project.',
      },
      own: { type: 'object', description: 'The stored values of exactly these fields.', properties: own },
      version: {
        ...integer,
        minimum: 1,
        description: 'Grows by one with each real change of what is stored.',
      },
      etag: {
        ...string,
        description:
          'For `If-Match`, quotes included. It changes whenever what is presented changes: while the method inherits, it also names the state of the default.',
      },
      created_at: time,
      updated_at: time,
    }),
    ShippingMethodPage: answer<ShippingMethodPage>('One page; rows and total are of one moment.', {
      data: array(ref('ShippingMethod')),
      meta: answer('Where the page is.', { page: count, per_page: count, total: count, total_pages: count }),
    }),
    ShippingCarrier: answer<ShippingCarrierDto>('A carrier and its methods, in order.', {
      carrier_code: fields.carrier_code,
      carrier_label: { ...label, description: 'The first label among its methods, else the code.' },
      is_active: { ...boolean, description: 'True if any of its methods is.' },
      sort_order: { ...int32Integer, description: 'The smallest of its methods.' },
      methods: array(ref('ShippingMethod')),
    }),
    ShippingTree: answer<ShippingTree>('The methods by carrier.', { data: array(ref('ShippingCarrier')) }),
  };
}
