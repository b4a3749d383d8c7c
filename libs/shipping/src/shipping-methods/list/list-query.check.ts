import { isUuid } from '../../validation/identifiers.js';
import { isPlainObject } from '../../validation/objects.js';
import { checkCount, checkParameters } from '../../validation/query.js';
import { int32 } from '../../validation/int32.js';
import { folded, isStorable, lengthOf } from '../../validation/text.js';
import { utcTime } from '../../validation/time.js';
import { type Report, shortened, type Violations } from '../../validation/violations.js';
import { type FilterField, filterFields } from '../method-fields.js';
import { type CheckedListQuery, type Condition } from './list-filter.js';
import { compareValues, type FilterOperator, kindOf, operators, operatorsFor } from './list-operators.js';
import { listLimits, listParameters } from './list-query.dto.js';

const conditionKeys = ['field', 'op', 'value'];

/**
 * Checks the query of a list, from a URL or from your own code.
 * @param isBracketed whether `filter` was sent as `filter[field]=value`; then violations name that parameter
 * @returns the query with values that can be compared; incomplete when there are violations
 */
export function checkListQuery(
  violations: Violations,
  input: unknown,
  maxPageSize: number,
  isBracketed = false,
): CheckedListQuery {
  const query = checkParameters(violations, input, 'list()', listParameters);
  const defaultSize = Math.min(listLimits.perPage, maxPageSize);
  const perPage = checkCount(violations, query, 'per_page', defaultSize, maxPageSize);
  const page = checkCount(violations, query, 'page', 1, listLimits.offset + 1);
  if ((page - 1) * perPage > listLimits.offset) {
    const bound = `(page − 1) × per_page must be at most ${listLimits.offset}`;
    const detail = `page is too large: ${bound}. Narrow the list by filter or q.`;
    violations.at({ parameter: 'page' })('range', detail);
  }
  const words = checkWords(violations.at({ parameter: 'q' }), query['q']);
  const sentGroups = [
    ...conditionsOfFilter(violations, query['filter'], isBracketed),
    ...conditionsOfRawFilters(violations.at({ parameter: 'raw_filters' }), query['raw_filters']),
  ];
  return { page, perPage, words, groups: checkGroups(sentGroups) };
}

function checkWords(report: Report, q: unknown): string[] {
  if (q === undefined) return [];
  if (typeof q !== 'string') return report('type', 'q must be a string.');
  if (!isStorable(q)) return report('format', 'q must not contain NUL or a lone surrogate.');
  if (lengthOf(q) > listLimits.q) return report('length', `q must have at most ${listLimits.q} characters.`);
  return q.split(/\s+/u).flatMap((word) => (word === '' ? [] : folded(word)));
}

/** A condition that is not checked yet, with the function that adds its violations. */
interface SentCondition {
  fields: Record<string, unknown>;
  report: Report;
}

/** Returns a function that adds a violation whose detail begins with a name. */
function withPrefix(report: Report, name: string): Report {
  return (code, detail, allowed) => report(code, `${name}: ${detail}`, allowed);
}

function conditionsOfFilter(
  violations: Violations,
  filter: unknown,
  isBracketed: boolean,
): SentCondition[][] {
  if (filter === undefined) return [];
  if (!isPlainObject(filter))
    return violations.at({ parameter: 'filter' })(
      'type',
      'filter must be a JSON object of fields and values.',
    );
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([field, value]) => {
    const name = isBracketed ? `filter[${shortened(field)}]` : `filter.${shortened(field)}`;
    const report = withPrefix(violations.at({ parameter: isBracketed ? name : 'filter' }), name);
    return [{ fields: { field, op: 'in', value: Array.isArray(value) ? value : [value] }, report }];
  });
}

function conditionsOfRawFilters(report: Report, rawFilters: unknown): SentCondition[][] {
  if (rawFilters === undefined) return [];
  if (!Array.isArray(rawFilters)) return report('type', 'raw_filters must be a JSON array of conditions.');
  const conditionsOf = (raw: unknown, name: string): SentCondition[] => {
    if (!isPlainObject(raw)) return report('type', `${name} must be an object {"field":…,"op":…,"value":…}.`);
    if ('or' in raw)
      return report(
        'not_allowed',
        `${name} must not contain "or". An "or" must be the only key of its object, and cannot contain another "or".`,
      );
    const unknownKeys = Object.keys(raw).filter((key) => !conditionKeys.includes(key));
    for (const key of unknownKeys)
      report('unknown', `${name} has the unknown key "${shortened(key)}".`, conditionKeys);
    return [{ fields: raw, report: withPrefix(report, name) }];
  };
  return rawFilters.map((raw: unknown, index) => {
    const name = `raw_filters[${index}]`;
    if (!isPlainObject(raw) || !('or' in raw) || Object.keys(raw).length > 1) return conditionsOf(raw, name);
    if (!Array.isArray(raw['or'])) return report('type', `${name}.or must be an array of conditions.`);
    return raw['or'].flatMap((member, position) => conditionsOf(member, `${name}.or[${position}]`));
  });
}

/**
 * Checks the conditions of `filter` and `raw_filters`. They share one bound, and conditions beyond it are not checked.
 */
function checkGroups(groups: readonly SentCondition[][]): Condition[][] {
  const all = groups.flat();
  const max = listLimits.conditions;
  all[max]?.report('too_many', `there may be at most ${max} conditions in all.`);
  const withinBound = new Set(all.slice(0, max));
  return groups.map((group) => group.flatMap((each) => (withinBound.has(each) ? checkCondition(each) : [])));
}

/** @returns the condition; incomplete, or nothing, when it has violations */
function checkCondition({ fields, report }: SentCondition): Condition[] {
  const { field: sentField, op: sentOp, value } = fields;
  const field = checkField(report, sentField);
  const fittingOperators = operatorsFor(field ? kindOf(field) : 'label');
  if (sentOp === undefined) report('required', 'op is missing.', fittingOperators);
  if (value === undefined) report('required', 'value is missing.');
  if (!field || sentOp === undefined) return [];
  if (typeof sentOp !== 'string') return report('type', 'op must be a string.', fittingOperators);
  const op = fittingOperators.find((name) => name === sentOp);
  if (!op) return report('not_allowed', `op "${shortened(sentOp)}" does not fit ${field}.`, fittingOperators);
  return value === undefined ? [] : [{ field, op, values: checkValues(report, field, op, value) }];
}

function checkField(report: Report, sentField: unknown): FilterField | undefined {
  const field = filterFields.find((name) => name === sentField);
  if (sentField === undefined) report('required', 'field is missing.', filterFields);
  else if (typeof sentField !== 'string') report('type', 'field must be a string.', filterFields);
  else if (!field)
    report('unknown', `"${shortened(sentField)}" is not a field that you can filter by.`, filterFields);
  return field;
}

/** @returns the values, or none when they have violations */
function checkValues(
  report: Report,
  field: FilterField,
  operator: FilterOperator,
  value: unknown,
): Condition['values'] {
  const { takes } = operators[operator];
  if (takes === 'flag')
    return typeof value === 'boolean'
      ? [value]
      : report('type', `the value of "${operator}" must be true or false.`);
  const takesList = takes === 'list' || takes === 'range';
  if (takesList !== Array.isArray(value))
    return report('type', `"${operator}" takes ${takesList ? 'a list' : 'a single value, not a list'}.`);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (takes === 'range' && list.length !== 2) return report('length', `"${operator}" takes two values.`);
  if (list.length > listLimits.values)
    return report('too_many', `there may be at most ${listLimits.values} values.`);
  // This comes before texts are normalised, because your own code may pass texts of any length.
  const bytes = list.reduce<number>((sum, each) => sum + bytesOf(each), 0);
  if (bytes > listLimits.parameterBytes)
    return report('too_large', `the values must be at most ${listLimits.parameterBytes} bytes in all.`);
  const values = list.flatMap((element) => checkValue(report, field, element));
  if (values.length < list.length) return [];
  const [low = '', high = ''] = values;
  if (takes === 'range' && compareValues(low, high) > 0)
    return report('range', `the first value of "${operator}" must not be greater than the second.`);
  if (takes !== 'part') return values;
  const part = folded(String(values[0]));
  return part === '' ? report('length', `"${operator}" needs a character that is not an accent.`) : [part];
}

function bytesOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** @returns the value in the form that can be compared, or nothing when it has a violation */
function checkValue(report: Report, field: FilterField, value: unknown): Condition['values'] {
  if (value === null)
    return report(
      'type',
      `null is not allowed here. Use raw_filters=[{"field":"${field}","op":"null","value":true}].`,
    );
  const kind = kindOf(field);
  if (kind === 'boolean')
    return typeof value === 'boolean' ? [value] : report('type', `${field} must be true or false.`);
  if (kind === 'integer') {
    if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value)))
      return report('type', `${field} must be an integer.`);
    if (value >= int32.min && value <= int32.max) return [value];
    return report('range', `${field} must be from ${int32.min} to ${int32.max}.`);
  }
  if (typeof value !== 'string') return report('type', `${field} must be a string.`);
  if (!isStorable(value)) return report('format', 'a value must not contain NUL or a lone surrogate.');
  if (kind === 'id') return isUuid(value) ? [value.toLowerCase()] : report('format', 'an id must be a UUID.');
  // Labels are stored in NFC; codes are compared exactly.
  if (kind === 'label') return [value.normalize('NFC')];
  if (kind === 'code') return [value];
  kind satisfies 'time';
  const time = utcTime(value);
  // Times are compared as texts. With its `Z`, a time would come after one with more decimals.
  if (time !== undefined) return [time.slice(0, -1)];
  return report('format', `${field} must be an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z.`);
}
