import { isPlainObject, jsonRule } from '../validation/json-object.js';
import { int32 as bounds } from '../validation/rules.js';

/** A schema of OpenAPI 3.1. A keyword that is undefined is not in the document. */
export interface Schema {
  description?: string;
  [keyword: string]: unknown;
}
export type Schemas<Name extends PropertyKey = string> = Record<Name, Schema>;

/** @returns a function that takes a description, keywords, or both */
function schemaOf(basis: Schema) {
  return (about: string | Schema = {}, rules: Schema = {}): Schema => ({
    ...basis,
    ...(typeof about === 'string' ? { description: about } : about),
    ...rules,
  });
}

export const string = schemaOf({ type: 'string' });
export const boolean = schemaOf({ type: 'boolean' });
export const integer = schemaOf({ type: 'integer', format: 'int32' });
export const int32 = schemaOf({ ...integer(), minimum: bounds.min, maximum: bounds.max });
export const time = schemaOf({ type: 'string', format: 'date-time' });
export const json = schemaOf({ type: 'object', additionalProperties: true, description: jsonRule });
export const arrayOf = (items: Schema) => schemaOf({ type: 'array', items });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] });

export function object(description: string, properties: Schemas, required = Object.keys(properties)): Schema {
  return { type: 'object', description, required: required.length > 0 ? required : undefined, properties };
}

/** An object of a request, where an unknown field is refused. */
export function closed(...parts: Parameters<typeof object>): Schema {
  return { ...object(...parts), additionalProperties: false };
}

/** @returns a copy for this version of OpenAPI; 3.0 has another keyword for null, and no keyword for JSON inside a text */
export function inVersion<Part>(openapi: string, part: Part): Part {
  return JSON.parse(JSON.stringify(part), (_key, value: unknown) => {
    if (!openapi.startsWith('3.0') || !isPlainObject(value)) return value;
    const { type, contentMediaType, contentSchema, ...others } = value;
    if (Array.isArray(type)) return { ...others, type: type[0], nullable: true };
    return contentMediaType ? { ...others, type, 'x-content-schema': contentSchema } : value;
  }) as Part;
}
