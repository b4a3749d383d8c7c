import { type ValidationOptions, isInt, isString, ValidateBy, type ValidationError } from 'class-validator';
import { type FaultCode, type Faults, pointerTo } from './faults.js';
import { codePattern, isCode, isLabel, lengthOf } from './text.js';

// class-validator rules that carry the contract's codes. A rule about the content of a text holds for
// anything that is no text, so that only the rule about the type speaks of it.

function rule(
  code: FaultCode,
  name: string,
  accepts: (value: unknown) => boolean,
  remedy: string,
): PropertyDecorator {
  const options: ValidationOptions = { message: `$property ${remedy}`, context: { code } };
  return ValidateBy({ name, validator: { validate: accepts } }, options);
}

function all(...rules: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of rules) decorate(target, property);
  };
}

/** Must be there, and not null. */
export function Required(): PropertyDecorator {
  return rule('required', 'required', (value) => value !== undefined && value !== null, 'is required.');
}

/** @param max code points */
function Text(max: number): PropertyDecorator {
  const fits = (value: unknown): boolean =>
    !isString(value) || (value !== '' && (value.length <= max || lengthOf(value) <= max));
  return all(
    rule('type', 'text', (value) => isAbsent(value) || isString(value), 'must be a string.'),
    rule('length', 'textLength', fits, `must be 1 to ${max} characters.`),
  );
}

/** @param max code points */
export function Code(max: number): PropertyDecorator {
  const remedy = `must match ${codePattern.source}, end with no space and be in Unicode NFC.`;
  const accepts = (value: unknown): boolean => !isString(value) || value === '' || isCode(value);
  return all(Text(max), rule('format', 'code', accepts, remedy));
}

/** @param max code points */
export function Label(max: number): PropertyDecorator {
  const remedy = 'must have no control characters, lone surrogates or U+202A–202E.';
  const accepts = (value: unknown): boolean => !isString(value) || isLabel(value);
  return all(Text(max), rule('format', 'label', accepts, remedy));
}

export function Flag(): PropertyDecorator {
  const accepts = (value: unknown): boolean => isAbsent(value) || typeof value === 'boolean';
  return rule('type', 'flag', accepts, 'must be true or false.');
}

export const int32 = { min: -2_147_483_648, max: 2_147_483_647 };

export function Int32(): PropertyDecorator {
  const isWhole = (value: unknown): boolean =>
    isAbsent(value) || isInt(value) || value === Infinity || value === -Infinity;
  const inRange = (value: unknown): boolean =>
    typeof value !== 'number' || Number.isNaN(value) || (value >= int32.min && value <= int32.max);
  return all(
    rule('type', 'integer', isWhole, 'must be an integer.'),
    rule('range', 'int32', inRange, `must be ${int32.min} to ${int32.max}.`),
  );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Puts what class-validator found among the other faults of the request. */
export function addFaults(faults: Faults, errors: readonly ValidationError[]): void {
  for (const { property, constraints = {}, contexts = {} } of errors) {
    for (const [name, detail] of Object.entries(constraints)) {
      const { code } = contexts[name] as { code: FaultCode };
      faults.add({ pointer: pointerTo('', property) }, code, detail);
    }
  }
}
