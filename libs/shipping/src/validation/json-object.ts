import { isDate } from 'node:util/types';
import { type ViolationCode, type Violations, pointerTo } from './violations.js';
import { isPlainObject } from './objects.js';
import { isStorable } from './text.js';

/** Any value that JSON can have. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object, such as `meta` and `data`. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Maps each value that cannot be stored as JSON to `never`. An interface has no index signature, but can be mapped. */
type JsonInput<Value> = unknown extends Value
  ? Value
  : Value extends JsonValue | Date | undefined
    ? Value
    : Value extends bigint | symbol | Function
      ? never
      : { readonly [Key in keyof Value]: JsonInput<Value[Key]> };

/** Any object except an array, a function or a Date. An interface has no index signature, and a literal needs one. */
type NoListOrFunction =
  | { readonly [key: string]: unknown }
  | (object & {
      readonly [Symbol.iterator]?: never;
      readonly [Symbol.hasInstance]?: never;
      readonly [Symbol.toPrimitive]?: never;
    });

/**
 * An object that can be stored as JSON. As `JSON.stringify()` does, a call leaves out members that are undefined, and
 * stores a Date as its ISO text. An array, a function, a bigint or a symbol does not compile where the type of the value
 * is inferred. In a value with an annotated type, the call refuses it.
 */
export type JsonObjectInput<Value extends object = object> = object extends Value
  ? NoListOrFunction
  : Value extends readonly unknown[] | Date | Function
    ? never
    : Value & JsonInput<Value>;

export const maxJsonBytes = 16 * 1024;
const maxJsonDepth = 8;

/** The rule as a sentence of the OpenAPI document. */
export const jsonRule = `At most ${maxJsonBytes} bytes of JSON, nested at most ${maxJsonDepth} levels deep (the object itself is level 1); no NUL, no lone surrogate, no integer beyond ±(2^53−1), no key __proto__, constructor or prototype.`;

/** These keys could become prototypes, or break the host's serialiser, when the database returns them. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Checks the depth, the content and the size of an object for a JSON column.
 * @returns a copy, as the database will return it, without members that are undefined; null when there are violations
 */
export function checkJsonObject(violations: Violations, pointer: string, value: unknown): JsonObject | null {
  const path: (string | number)[] = [];
  let valueCount = 0;
  /** How many more bytes very small numbers take if they are written without exponents. */
  let exponentBytes = 0;
  let hasViolation = false;
  let canBeWritten = true;
  let hasDate = false;

  const report = (code: ViolationCode, remedy: string): null => {
    hasViolation = true;
    if (code === 'type' || code === 'too_deep') canBeWritten = false;
    const at = path.reduce<string>(pointerTo, pointer);
    violations.at({ pointer: at })(code, `${at} ${remedy}`);
    return null;
  };
  const checkMember = (key: string | number, element: unknown): void => {
    path.push(key);
    if (typeof key === 'string' && forbiddenKeys.has(key))
      report('not_allowed', 'is a key that is not allowed.');
    else if (typeof key === 'string' && !isStorable(key))
      report('format', 'is a key with a NUL or a lone surrogate.');
    else check(element);
    path.pop();
  };
  const check = (element: unknown): void => {
    // Each value takes at least one byte, so an object with too many values is too large.
    if (++valueCount > maxJsonBytes) return;
    // In an array, JSON writes undefined as null.
    if (element === null || element === undefined || typeof element === 'boolean') return;
    if (typeof element === 'string') {
      if (!isStorable(element)) report('format', 'must not contain NUL or a lone surrogate.');
    } else if (typeof element === 'number') {
      if (Number.isNaN(element)) report('type', 'is NaN, which is not JSON.');
      else if (!Number.isFinite(element)) report('range', 'is too large for a number.');
      else if (Number.isInteger(element) && !Number.isSafeInteger(element))
        report('range', 'is an integer beyond ±(2^53−1) and would lose digits. Send it as a string.');
      // The database stores no exponents, so 1e-300 becomes a number of 300 digits.
      exponentBytes += Number(/e-(\d+)$/.exec(String(element))?.[1] ?? 0);
    } else if (isDate(element)) {
      hasDate = true;
      if (Number.isNaN(element.getTime())) report('type', 'is an invalid Date.');
    } else if (!Array.isArray(element) && !isPlainObject(element)) {
      report('type', 'must be JSON: an object, array, string, number, boolean or null.');
    } else if (path.length >= maxJsonDepth) {
      report('too_deep', `is nested deeper than ${maxJsonDepth} levels.`);
    } else if (Array.isArray(element)) {
      // `forEach` skips holes, but JSON writes them as null. A very long array is too large.
      if (element.length > maxJsonBytes) valueCount = element.length;
      else element.forEach((member, index) => checkMember(index, member));
    } else {
      for (const key of Object.keys(element)) if (element[key] !== undefined) checkMember(key, element[key]);
    }
  };

  if (!isPlainObject(value)) return report('type', 'must be a JSON object.');
  check(value);
  if (!canBeWritten) return null;
  const text =
    valueCount > maxJsonBytes ? undefined : JSON.stringify(value, hasDate ? withIsoDates : undefined);
  if (text === undefined || Buffer.byteLength(text) + exponentBytes > maxJsonBytes)
    return report('too_large', `must be at most ${maxJsonBytes} bytes of JSON.`);
  return hasViolation ? null : (JSON.parse(text) as JsonObject);
}

/** A host may have replaced `Date.prototype.toJSON`. */
function withIsoDates(this: Record<string, unknown>, key: string, member: unknown): unknown {
  const value = this[key];
  return isDate(value) ? value.toISOString() : member;
}
