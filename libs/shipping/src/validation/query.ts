import { isObject } from './objects.js';
import { shortened, type Violations } from './violations.js';

/**
 * Checks that the query of a call is an object, and that it has only these parameters.
 * @param call the name of the call, for the violation
 * @returns the query; `{}` when it is not an object
 */
export function checkParameters(
  violations: Violations,
  input: unknown,
  call: string,
  parameters: readonly string[],
): Record<string, unknown> {
  if (!isObject(input)) {
    violations.at({ parameter: 'query' })('type', 'The query must be an object.');
    return {};
  }
  for (const name of Object.keys(input)) {
    if (parameters.includes(name) || input[name] === undefined) continue;
    const parameter = shortened(name);
    violations.at({ parameter })('unknown', `${parameter} is not a parameter of ${call}.`, parameters);
  }
  return input;
}

/** Checks a parameter that is an integer from 1. @returns `fallback` when it is missing, or has a violation */
export function checkCount(
  violations: Violations,
  query: Record<string, unknown>,
  parameter: string,
  fallback: number,
  max: number,
): number {
  const value = query[parameter];
  const report = violations.at({ parameter });
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || (!Number.isInteger(value) && Number.isFinite(value)))
    report('type', `${parameter} must be an integer.`);
  else if (value >= 1 && value <= max) return value;
  else report('range', `${parameter} must be 1 to ${max}.`);
  return fallback;
}
