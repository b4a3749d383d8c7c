import { shortened, Violations } from './violations.js';

/** The form of project ids and order ids. The host decides what they are. */
export const identifierPattern = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidPattern.test(text);
}

function checkIdentifier(violations: Violations, name: string, value: unknown): void {
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

/** @param name the name of the parameter */
export function checkText(violations: Violations, name: string, value: unknown): void {
  if (typeof value !== 'string') violations.at({ parameter: name })('type', `${name} must be a string.`);
}

/** Ids by the names of the service's parameters: `{ projectId, orderId }`. */
type NamedIds = object;

/** @throws InvalidParameterError with all violations of the ids */
export function checkIds(ids: NamedIds): void {
  checkInput(ids, () => undefined);
}

/**
 * Checks ids together with the other input of a call. A violation names an id by the parameter of the service, such as
 * `projectId`. The route's filter renames it.
 * @throws InvalidParameterError, ValidationFailedError with the violations of all input
 */
export function checkInput<Checked>(ids: NamedIds, check: (violations: Violations) => Checked): Checked {
  const violations = new Violations();
  for (const [name, id] of Object.entries(ids)) checkIdentifier(violations, name, id);
  const checked = check(violations);
  violations.throwIfAny();
  return checked;
}
