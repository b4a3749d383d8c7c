import { isPlainObject, maxJsonBytes, maxJsonDepth } from '../validation/json-object.js';
import { int32 as bounds } from '../validation/rules.js';

/** A schema of OpenAPI 3.1. A keyword that is undefined is not in the document. */
export interface Schema {
  description?: string;
  [keyword: string]: unknown;
}

export type Schemas<Name extends PropertyKey = string> = Record<Name, Schema>;

const typed =
  (basis: Schema) =>
  (description?: string, rules: Schema = {}): Schema => ({ ...basis, description, ...rules });

export const string = typed({ type: 'string' });
export const boolean = typed({ type: 'boolean' });
export const integer = typed({ type: 'integer', format: 'int32' });
export const int32 = typed({ ...integer(), minimum: bounds.min, maximum: bounds.max });
export const time = typed({ type: 'string', format: 'date-time' });

/** What a jsonb column of ours takes. */
export const json: Schema = {
  type: 'object',
  additionalProperties: true,
  description: `At most ${maxJsonBytes} bytes of JSON, nested at most ${maxJsonDepth} levels deep, itself the first; no NUL, no lone surrogate, no integer beyond ±(2^53−1), no key __proto__, constructor or prototype.`,
};

export function array(items: Schema, rules: Schema = {}): Schema {
  return { type: 'array', ...rules, items };
}

export function object(description: string, required: Schemas, optional: Schemas = {}): Schema {
  const names = Object.keys(required);
  const properties = { ...required, ...optional };
  return { type: 'object', description, required: names.length > 0 ? names : undefined, properties };
}

export function nullable(schema: Schema): Schema {
  return { ...schema, type: [schema['type'], 'null'] };
}

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A copy as this version of OpenAPI spells it: 3.0 has another word for null, and none for JSON within text. */
export function spelt<Part>(openapi: string, part: Part): Part {
  const older = (_key: string, value: unknown): unknown => {
    if (!isPlainObject(value)) return value;
    const { type, contentMediaType, contentSchema, ...others } = value;
    if (Array.isArray(type)) return { ...others, type: type[0], nullable: true };
    return contentMediaType ? { ...others, type, 'x-content-schema': contentSchema } : value;
  };
  return JSON.parse(JSON.stringify(part), openapi.startsWith('3.0') ? older : undefined) as Part;
}
