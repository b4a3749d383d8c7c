import { type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isObject } from './objects.js';
import { type ViolationCode, pointerTo, type Violations } from './violations.js';

/**
 * Checks an object of unknown origin by the rules of a class. Nothing is coerced. Fields with the rule `Allow()` are
 * not checked: the caller does that.
 * @param options `pointer`: the JSON pointer to the object in the body; `mayBeMissing`: required fields may be missing,
 *   and must not be null
 * @returns an instance of the class; incomplete when there are violations
 */
export function checkFields<Dto extends object>(
  violations: Violations,
  dto: Type<Dto>,
  input: unknown,
  { pointer = '', mayBeMissing = false }: { pointer?: string; mayBeMissing?: boolean } = {},
): Dto {
  if (!isObject(input)) {
    violations.at({ pointer })('type', `${pointer || 'The body'} must be a JSON object.`);
    return new dto();
  }
  // A new instance has all fields of its class, and each of them is undefined.
  const fields = Object.keys(new dto());
  for (const name of Object.keys(input)) {
    if (fields.includes(name) || input[name] === undefined) continue;
    const fieldPointer = pointerTo(pointer, name);
    violations.at({ pointer: fieldPointer })('unknown', `${fieldPointer} is not a known field.`, fields);
  }
  // The only objects that a rule accepts are Dates. So the rules see an empty array in the place of any other object,
  // and refuse it. Otherwise class-transformer would copy the whole object, however deep it is.
  const values: Record<string, unknown> = {};
  for (const name of fields) {
    const value: unknown = Reflect.get(input, name);
    const isNested = typeof value === 'object' && value !== null && !(value instanceof Date);
    if (value !== undefined) values[name] = isNested ? [] : value;
  }
  const checked = plainToInstance(dto, values);
  for (const { property, constraints = {}, contexts = {} } of validateSync(checked)) {
    for (const [rule, remedy] of Object.entries(constraints)) {
      const { code, allowed } = contexts[rule] as { code: ViolationCode; allowed?: readonly string[] };
      if (mayBeMissing && code === 'required' && !(property in values)) continue;
      const fieldPointer = pointerTo(pointer, property);
      // The name of a nested field says too little.
      const subject = pointer ? fieldPointer : property;
      violations.at({ pointer: fieldPointer })(code, `${subject} ${remedy}`, allowed);
    }
  }
  return checked;
}
