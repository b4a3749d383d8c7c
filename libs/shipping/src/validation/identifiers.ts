import { shortened, Violations } from './violations.js';

/** The host owns these ids. We only limit their form. */
export const identifierPattern = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidPattern.test(text);
}

/** @param name as the caller knows it */
export function checkIdentifier(
  violations: Violations,
  name: string,
  value: unknown,
): asserts value is string {
  const refuse = violations.at({ parameter: name });
  if (value === undefined || value === null || value === '') refuse('required', `${name} is required.`);
  else if (typeof value !== 'string') refuse('type', `${name} must be a string.`);
  else if (value.length > 64) refuse('length', `${name} must be at most 64 characters, not ${value.length}.`);
  else if (!identifierPattern.test(value))
    refuse(
      'format',
      `${name} must be letters, digits, "_", ".", ":" or "-", and begin with a letter, a digit or "_": "${shortened(value)}" is not.`,
    );
}

/** @param name as the caller knows it */
export function checkText(violations: Violations, name: string, value: unknown): void {
  if (typeof value !== 'string') violations.at({ parameter: name })('type', `${name} must be a string.`);
}

/** Checks a project id together with what was sent for it. @throws with all violations of both */
export function checkedFor<Checked>(projectId: unknown, check: (violations: Violations) => Checked): Checked {
  const violations = new Violations();
  checkIdentifier(violations, 'project_id', projectId);
  const checked = check(violations);
  violations.throwIfAny();
  return checked;
}
