import { type FieldKind } from '../shipping-methods/method-fields.js';
import { int32 } from '../validation/int32.js';
import { jsonRule } from '../validation/json-object.js';
import { isPlainObject } from '../validation/objects.js';
import { asciiCodePattern } from '../validation/text.js';

/** A schema of OpenAPI 3.1. A keyword that is undefined is not in the document. */
export type Schema = Record<string, unknown>;
export type Fields<Name extends PropertyKey = string> = Record<Name, Schema>;

export const string = { type: 'string' };
export const integer = { type: 'integer', format: 'int32' };
/** The values of fields, by the kind of the field. */
export const kinds = {
  id: string,
  code: { ...string, minLength: 1, pattern: asciiCodePattern.source },
  label: { ...string, minLength: 1 },
  boolean: { type: 'boolean' },
  integer: { ...integer, minimum: int32.min, maximum: int32.max },
  json: { type: 'object', additionalProperties: true, description: jsonRule },
  time: { ...string, format: 'date-time' },
} satisfies Record<FieldKind, Schema>;

export const about = (description: string, schema: Schema = string): Schema => ({ ...schema, description });
export const arrayOf = (items: Schema, maxItems?: number): Schema => ({ type: 'array', items, maxItems });
export const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export function object(description: string, properties: Fields, required = Object.keys(properties)): Schema {
  return { type: 'object', description, required: required.length > 0 ? required : undefined, properties };
}

/** An object of a request, where an unknown field is refused. */
export function closed(...parts: Parameters<typeof object>): Schema {
  return { ...object(...parts), additionalProperties: false };
}

/**
 * @returns a copy for this version of OpenAPI; 3.0 has another keyword for null, and no keyword for JSON inside a text
 */
export function inVersion<Part>(openapi: string, part: Part): Part {
  return JSON.parse(JSON.stringify(part), (_key, value: unknown) => {
    if (!openapi.startsWith('3.0') || !isPlainObject(value)) return value;
    const { type, contentMediaType, contentSchema, ...others } = value;
    if (Array.isArray(type)) return { ...others, type: type[0], nullable: true };
    return contentMediaType ? { ...others, type, 'x-content-schema': contentSchema } : value;
  }) as Part;
}
