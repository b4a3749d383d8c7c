import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { isBoolean, IsDefined, isInt, isString, ValidateBy } from 'class-validator';
import { int32 } from './int32.js';
import {
  isCode,
  isFarTooLong,
  isLabel,
  isStorable,
  lengthOf,
  normalisedLabel,
  refusedCharacter,
} from './text.js';
import { utcTime } from './time.js';
import { type ViolationCode } from './violations.js';

// These are rules of class-validator with the violation codes of the API. If a value has the wrong type, only the rule
// about the type reports it: the rules about its content accept it.

/** The end of a sentence that begins with the name of the field. The function gets the value that a rule refuses. */
type Remedy = string | ((field: { value: unknown }) => string);

/** A rule about the value of a field. A field that is missing or null has no value: only `Required()` refuses it. */
function rule(
  code: ViolationCode,
  accepts: (value: unknown) => boolean,
  remedy: Remedy,
  allowed?: readonly string[],
): PropertyDecorator {
  const validate = (value: unknown): boolean => value === undefined || value === null || accepts(value);
  return ValidateBy({ name: code, validator: { validate } }, { message: remedy, context: { code, allowed } });
}

/** The field must be present and not null. */
export function Required(): PropertyDecorator {
  return IsDefined({ message: 'is required.', context: { code: 'required' } });
}

/** The field must be a text that the database can store. @param max in code points */
export function Text(max: number, min = 0): PropertyDecorator {
  const hasLength = (value: unknown): boolean =>
    !isString(value) || (value.length >= min && lengthOf(value) <= max);
  return applyDecorators(
    rule('type', isString, 'must be a string.'),
    rule(
      'length',
      hasLength,
      min === 0 ? `must have at most ${max} characters.` : `must have ${min} to ${max} characters.`,
    ),
    Content(max, isStorable, 'must not contain NUL or a lone surrogate.'),
  );
}

/** The field must be the code of a carrier or a method. @param max in code points */
export function Code(max: number): PropertyDecorator {
  const accepts = (text: string): boolean => text === '' || isCode(text);
  const remedy: Remedy = ({ value }) =>
    `must not contain ${refusedCharacter(String(value))}. A code has visible characters with single spaces between ` +
    'them, does not begin with a combining mark, and is in Unicode NFC.';
  return applyDecorators(Text(max, 1), Content(max, accepts, remedy));
}

/** The field must be a label. It is trimmed and put into Unicode NFC before it is checked. @param max in code points */
export function Label(max: number): PropertyDecorator {
  const accepts = (text: string): boolean => text === '' || isLabel(text);
  const remedy =
    'must have at least one visible character, and must not contain control characters, lone surrogates, ' +
    'U+202A–202E, or an isolate (U+2066–2068) that is not closed.';
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (isString(value) ? normalisedLabel(value, max) : value)),
    Text(max, 1),
    Content(max, accepts, remedy),
  );
}

/**
 * A rule about a text. It accepts a text that is far too long, because the rule about the length refuses this text.
 * @param max in code points
 */
export function Content(max: number, accepts: (text: string) => boolean, remedy: Remedy): PropertyDecorator {
  const isAccepted = (value: unknown): boolean =>
    !isString(value) || isFarTooLong(value, max) || accepts(value);
  return rule('format', isAccepted, remedy);
}

export function OneOf(allowed: readonly string[]): PropertyDecorator {
  const accepts = (value: unknown): boolean => allowed.some((each) => each === value);
  return rule('not_allowed', accepts, `must be one of ${allowed.join(', ')}.`, allowed);
}

/** The field must be a Date, or a time of RFC 3339. */
export function Time(): PropertyDecorator {
  const isTime = (value: unknown): boolean => isString(value) || value instanceof Date;
  const remedy = 'must be a Date, or an RFC 3339 time with an offset, in the years 0001 to 9999.';
  return applyDecorators(
    rule('type', isTime, remedy),
    rule('format', (value) => !isTime(value) || !!utcTimeOf(value), remedy),
  );
}

/**
 * @returns a Date or a time of RFC 3339 as text in UTC, with all decimals that were sent; undefined when it is not a
 * time
 */
export function utcTimeOf(value: unknown): string | undefined {
  const isValid = value instanceof Date && !Number.isNaN(value.getTime());
  const text = isValid ? value.toISOString() : value;
  return isString(text) ? utcTime(text) : undefined;
}

export function Flag(): PropertyDecorator {
  return rule('type', isBoolean, 'must be true or false.');
}

export function Int32(): PropertyDecorator {
  const isWhole = (value: unknown): boolean => isInt(value) || value === Infinity || value === -Infinity;
  const inRange = (value: unknown): boolean =>
    typeof value !== 'number' || Number.isNaN(value) || (value >= int32.min && value <= int32.max);
  return applyDecorators(
    rule('type', isWhole, 'must be an integer.'),
    rule('range', inRange, `must be ${int32.min} to ${int32.max}.`),
  );
}
