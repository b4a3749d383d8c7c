import { maxJsonBytes, maxJsonDepth } from '../validation/json-object.js';
import { int32 } from '../validation/rules.js';

export interface Schema {
  type?: string | string[];
  description?: string;
  [keyword: string]: unknown;
}

export type Properties<Field extends PropertyKey> = Record<Field, Schema>;

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export const string: Schema = { type: 'string' };
export const boolean: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer', format: 'int32' };
export const int32Integer: Schema = { ...integer, minimum: int32.min, maximum: int32.max };
export const time: Schema = { ...string, format: 'date-time' };
export const id: Schema = { ...string, description: 'Opaque.' };

export function array(items: Schema): Schema {
  return { type: 'array', items };
}

/** An answer has all of its fields, always; a later version may add some. */
export function answer<Answer>(description: string, properties: Properties<keyof Answer>): Schema {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

/** What OpenAPI 3.0 and 3.1 spell differently. */
export interface Dialect {
  /** The schema, or null. */
  nullable: (schema: Schema & { type: string }) => Schema;
  /** Text that holds JSON of the named schema. */
  jsonText: (name: string) => Schema;
}

export function dialectOf(openapi: string): Dialect {
  const isOlder = openapi.startsWith('3.0');
  return {
    nullable: (schema) => ({
      ...schema,
      ...(isOlder ? { nullable: true } : { type: [schema.type, 'null'] }),
    }),
    jsonText: (name) => ({
      ...string,
      ...(isOlder
        ? { 'x-content-schema': ref(name) }
        : { contentMediaType: 'application/json', contentSchema: ref(name) }),
    }),
  };
}

/** What may stand in a jsonb column of ours. */
export const json = {
  type: 'object',
  additionalProperties: true,
  description: `At most ${maxJsonBytes} bytes of JSON, nested at most ${maxJsonDepth} levels deep, itself the first; no NUL, no lone surrogate, no integer beyond ±(2^53−1), no key __proto__, constructor or prototype.`,
};
