import { checkIdentifier } from './identifiers.js';
import { Violations } from './violations.js';

/** @param name the name of the parameter */
export function checkString(violations: Violations, name: string, value: unknown): void {
  if (typeof value !== 'string') violations.at({ parameter: name })('type', `${name} must be a string.`);
}

/** The ids that name a project, or one of its orders. They have the names of the service's parameters. */
export interface NamedIds {
  readonly projectId: string;
  readonly orderId?: string;
}

/** @throws InvalidParameterError with all violations of the ids */
export function checkIds(ids: NamedIds): void {
  checkInput(ids, () => undefined);
}

/**
 * Checks ids together with the other input of a call. A violation names an id by the parameter of the service, such as
 * `projectId`. The routes give it its name in the path.
 * @throws InvalidParameterError, ValidationFailedError with the violations of all input
 */
export function checkInput<Checked>(ids: NamedIds, check: (violations: Violations) => Checked): Checked {
  const violations = new Violations();
  for (const [name, id] of Object.entries(ids)) checkIdentifier(violations, name, id);
  const checked = check(violations);
  violations.throwIfAny();
  return checked;
}
