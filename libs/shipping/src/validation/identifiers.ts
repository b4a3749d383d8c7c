import { identifierPattern } from './text.js';
import { shortened, type Violations } from './violations.js';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidPattern.test(text);
}

/** @param name the name of the parameter */
export function checkIdentifier(violations: Violations, name: string, value: unknown): void {
  const report = violations.at({ parameter: name });
  if (value === undefined || value === null || value === '') report('required', `${name} is required.`);
  else if (typeof value !== 'string') report('type', `${name} must be a string.`);
  else if (value.length > 64)
    report('length', `${name} must have at most 64 characters, not ${value.length}.`);
  else if (!identifierPattern.test(value))
    report(
      'format',
      `${name} must have only letters, digits, "_", ".", ":" or "-", and must begin with a letter, a digit or "_". "${shortened(value)}" is not allowed.`,
    );
}
