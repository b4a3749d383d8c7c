import { type OrderEventActor, type OrderEventDto, actorTypes } from '../order-events/dto/order-event.dto.js';
import { eventLengths, eventTypePattern } from '../order-events/dto/record-order-event.dto.js';
import { orderEventTypes } from '../order-events/order-event-types.js';
import {
  filterFields,
  filterOperators,
  listLimits,
  type RawFilter,
} from '../shipping-methods/dto/list-shipping-methods.dto.js';
import {
  type InheritedField,
  type ShippingCarrierDto,
  type ShippingMethodDto,
} from '../shipping-methods/dto/shipping-method.dto.js';
import { maxLengths, methodDefaults, upsertFields } from '../shipping-methods/dto/upsert-shipping-method.dto.js';
import { type Fault, type FaultCode, maxFaults } from '../validation/faults.js';
import { maxJsonBytes, maxJsonDepth } from '../validation/json-object.js';
import { int32 } from '../validation/rules.js';
import { codePattern } from '../validation/text.js';

export interface Schema {
  type?: string | (string | undefined)[];
  [keyword: string]: unknown;
}

export type Schemas<Name extends PropertyKey> = Record<Name, Schema>;

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export const integer: Schema = { type: 'integer', format: 'int32' };
const string: Schema = { type: 'string' };
const boolean: Schema = { type: 'boolean' };
const count: Schema = { ...integer, minimum: 0 };
const time: Schema = { type: 'string', format: 'date-time', description: 'UTC, with milliseconds.' };

/** What every answer is: all of its fields, always; a later version may add some. */
function answer<Answer>(description: string, properties: Schemas<keyof Answer>): Schema {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

function list(items: Schema): Schema {
  return { type: 'array', items };
}

const code = (maxLength: number): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: codePattern.source,
  description: 'In Unicode NFC, with no space at the end; compared exactly, case and accents count.',
});
const label: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: maxLengths.label,
  description: 'Trimmed and put into Unicode NFC before its length is taken; no control characters.',
};
const json: Schema = {
  type: 'object',
  additionalProperties: true,
  description: `Any JSON object of at most ${maxJsonBytes} bytes and ${maxJsonDepth} levels (itself the first). No NUL, no lone surrogate, no integer beyond ±(2^53−1), no key \`__proto__\`, \`constructor\` or \`prototype\`.`,
};

const fields: Schemas<(typeof upsertFields)[number]> = {
  carrier_code: code(maxLengths.carrierCode),
  carrier_label: label,
  method_code: code(maxLengths.methodCode),
  method_label: label,
  is_active: boolean,
  sort_order: { ...integer, minimum: int32.min, maximum: int32.max, description: 'Lower first.' },
  meta: { ...json, description: `Replaced whole, never merged. ${json['description']}` },
  use_default: {
    ...boolean,
    description: 'Presents labels, order and meta of the method with the same codes in the defaults project.',
  },
};

const faultCodes: Record<FaultCode, string> = {
  required: 'missing or null',
  type: 'of the wrong type',
  format: 'of the wrong form',
  length: 'too short or too long',
  range: 'too small or too great',
  unknown: 'no field of ours',
  duplicate: 'given twice',
  not_allowed: 'not one of `allowed`, or not here',
  too_many: 'more than may be',
  too_deep: 'nested too deep',
  too_large: 'too many bytes',
};

/** @param nullable says "or null" in the words of the document's version of OpenAPI */
export function shippingSchemas(nullable: (schema: Schema) => Schema): Record<string, Schema> {
  const optional = Object.entries(methodDefaults).map(([field, value]): [string, Schema] => {
    const schema = fields[field as keyof typeof methodDefaults];
    const description = `${schema['description'] ?? ''} Default: \`${JSON.stringify(value)}\`.`.trim();
    return [field, nullable({ ...schema, description })];
  });
  const own: Schemas<InheritedField> = {
    carrier_label: nullable(label),
    method_label: label,
    sort_order: fields.sort_order,
    meta: fields.meta,
  };
  const scalars = { anyOf: [string, integer, boolean] };
  return {
    UpsertShippingMethodRequest: {
      type: 'object',
      description:
        'An optional field that is null goes back to its default. One that is left out has its default in a create and keeps its value in an update.',
      required: upsertFields.filter((field) => !(field in methodDefaults)),
      additionalProperties: false,
      properties: { ...fields, ...Object.fromEntries(optional) },
    },
    ShippingMethod: answer<ShippingMethodDto>('A shipping method as it is presented.', {
      id: { ...string, description: 'Opaque.' },
      project_id: string,
      ...fields,
      carrier_label: nullable(label),
      inherited: {
        ...list({ ...string, enum: Object.keys(own) }),
        description: 'The fields whose value now comes from the defaults project.',
      },
      own: { type: 'object', description: 'The stored values of exactly these fields.', properties: own },
      version: { ...integer, minimum: 1, description: 'Grows by one with each real change; its ETag.' },
      created_at: time,
      updated_at: time,
    }),
    ShippingMethodPage: answer('One page of the methods.', {
      data: list(ref('ShippingMethod')),
      meta: answer('', { page: count, per_page: count, total: count, total_pages: count }),
    }),
    ShippingCarrier: answer<ShippingCarrierDto>('A carrier and all its methods, in order.', {
      carrier_code: fields.carrier_code,
      carrier_label: { ...label, description: 'The first label among its methods, else the code.' },
      is_active: { ...boolean, description: 'True if any of its methods is.' },
      sort_order: { ...integer, description: 'The smallest of its methods.' },
      methods: list(ref('ShippingMethod')),
    }),
    ShippingTree: answer('The methods by carrier.', { data: list(ref('ShippingCarrier')) }),
    OrderEvent: answer<OrderEventDto>('An entry in the history of an order; never changed.', {
      id: { ...string, description: 'Opaque.' },
      project_id: string,
      order_id: string,
      type: {
        type: 'string',
        maxLength: eventLengths.type,
        pattern: eventTypePattern.source,
        description: `Open: expect kinds that are not among the known ones, ${orderEventTypes.map((type) => `\`${type}\``).join(', ')}.`,
      },
      message: nullable({ ...string, maxLength: eventLengths.message }),
      data: json,
      actor: nullable(
        answer<OrderEventActor>('Who or what caused it.', {
          type: { ...string, enum: actorTypes },
          id: nullable({ ...string, maxLength: eventLengths.actorId }),
          label: nullable({ ...string, maxLength: eventLengths.actorLabel }),
        }),
      ),
      occurred_at: { ...time, description: 'When it happened, by the word of who recorded it.' },
      recorded_at: { ...time, description: 'When it was stored.' },
    }),
    OrderEventList: answer('The whole history, oldest first.', { data: list(ref('OrderEvent')) }),
    RawFilter: {
      ...answer<RawFilter>(
        `Which \`op\` fits which field: ${Object.entries(filterOperators).map(([kind, ops]) => `${kind}: ${ops.join(' ')}`).join('; ')}.`,
        {
          field: { ...string, enum: Object.keys(filterFields) },
          op: { ...string, enum: filterOperators.text },
          value: {
            anyOf: [...scalars.anyOf, { ...list(scalars), maxItems: listLimits.values }],
            description: 'A list for `in` and `nin`, two values in order for `between`, a boolean for `null`.',
          },
        },
      ),
      additionalProperties: false,
    },
  };
}
