import {
  type ViolationCode,
  type ViolationPlace,
  type Violations,
  shortened,
} from '../validation/violations.js';
import { isUuid } from '../validation/identifiers.js';
import { isPlainObject } from '../validation/json-object.js';
import { int32 } from '../validation/rules.js';
import { folded, isStorable, lengthOf } from '../validation/text.js';
import { comparableTime, utcTime } from '../validation/time.js';
import {
  type FilterOperator,
  kindOf,
  listLimits,
  operators,
  operatorsFor,
} from './dto/list-shipping-methods.dto.js';
import { type FilterField, filterFields } from './method-fields.js';

export interface Condition {
  field: FilterField;
  op: FilterOperator;
  /** One for most operators, any number for `in` and `nin`, two for `between`; as the database takes them. */
  values: (string | number | boolean)[];
}

export interface CheckedListQuery {
  page: number;
  perPage: number;
  /** Case-folded; all of them must be found. */
  words: readonly string[];
  /** All of the groups must hold; of a group, any condition. */
  groups: readonly Condition[][];
}

const conditionKeys = ['field', 'op', 'value'];

/** Adds a fault, and is the nothing that is left of what had it. */
type Refuse = (code: ViolationCode, detail: string, allowed?: readonly string[]) => [];

function refuseAt(violations: Violations, place: ViolationPlace): Refuse {
  return (code, detail, allowed) => {
    violations.add(place, code, detail, allowed);
    return [];
  };
}

/** @param bracketed whether `filter` came as `filter[field]=value`, for the names in violations */
export function checkListQuery(
  violations: Violations,
  input: unknown,
  maxPageSize: number,
  bracketed = false,
): CheckedListQuery {
  const query = isPlainObject(input) ? input : {};
  if (!isPlainObject(input)) violations.add({ parameter: 'query' }, 'type', 'The query must be an object.');

  const defaultSize = Math.min(listLimits.perPage, maxPageSize);
  const perPage = checkCount(violations, 'per_page', query['per_page'], defaultSize, maxPageSize);
  const page = checkCount(violations, 'page', query['page'], 1, Number.MAX_SAFE_INTEGER);
  if ((page - 1) * perPage > listLimits.offset) {
    const bound = `(page − 1) × per_page must be at most ${listLimits.offset}`;
    violations.add(
      { parameter: 'page' },
      'range',
      `page is too far: ${bound}. Narrow the list by filter or q.`,
    );
  }
  const words = checkWords(violations, query['q']);
  const given = [
    ...givenByFilter(violations, query['filter'], bracketed),
    ...givenByRawFilters(violations, query['raw_filters']),
  ];
  return { page, perPage, words, groups: checkGroups(given) };
}

function checkCount(
  violations: Violations,
  parameter: string,
  value: unknown,
  fallback: number,
  max: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= 1 && value <= max && Number.isInteger(value)) return value;
  if (typeof value !== 'number' || (!Number.isInteger(value) && Number.isFinite(value)))
    violations.add({ parameter }, 'type', `${parameter} must be a whole number.`);
  else violations.add({ parameter }, 'range', `${parameter} must be 1 to ${max}.`);
  return fallback;
}

function checkWords(violations: Violations, q: unknown): string[] {
  const refuse = refuseAt(violations, { parameter: 'q' });
  if (q === undefined) return [];
  if (typeof q !== 'string') return refuse('type', 'q must be a string.');
  if (!isStorable(q)) return refuse('format', 'q must have no NUL and no lone surrogate.');
  if (lengthOf(q) > listLimits.q) return refuse('length', `q must be at most ${listLimits.q} characters.`);
  const words = q.split(/\s+/u).filter((word) => word !== '');
  return words.map(folded);
}

/** A condition as it came. */
interface Given {
  refuse: Refuse;
  /** What names it in violations. */
  label: string;
  field: unknown;
  op: unknown;
  value: unknown;
}

function givenByFilter(violations: Violations, filter: unknown, bracketed: boolean): Given[][] {
  const refuse = refuseAt(violations, { parameter: 'filter' });
  if (filter === undefined) return [];
  if (!isPlainObject(filter)) return refuse('type', 'filter must be a JSON object of fields and values.');
  return Object.entries(filter).map(([field, sent]) => {
    const name = shortened(field);
    const value = Array.isArray(sent) ? sent : [sent];
    if (!bracketed) return [{ refuse, label: `filter.${name}`, field, op: 'in', value }];
    const label = `filter[${name}]`;
    return [{ refuse: refuseAt(violations, { parameter: label }), label, field, op: 'in', value }];
  });
}

function givenByRawFilters(violations: Violations, rawFilters: unknown): Given[][] {
  const refuse = refuseAt(violations, { parameter: 'raw_filters' });
  if (rawFilters === undefined) return [];
  if (!Array.isArray(rawFilters)) return refuse('type', 'raw_filters must be a JSON array of conditions.');
  const one = (raw: unknown, label: string): Given[] => {
    if (!isPlainObject(raw))
      return refuse('type', `${label} must be an object {"field":…,"op":…,"value":…}.`);
    if ('or' in raw)
      return refuse('not_allowed', `${label} must not hold "or": only one level of it, alone in its object.`);
    for (const key of Object.keys(raw).filter((name) => !conditionKeys.includes(name)))
      refuse('unknown', `${label} has the unknown key "${shortened(key)}".`, conditionKeys);
    return [{ refuse, label, field: raw['field'], op: raw['op'], value: raw['value'] }];
  };
  return rawFilters.map((raw: unknown, index) => {
    const label = `raw_filters[${index}]`;
    if (!isPlainObject(raw) || !('or' in raw) || Object.keys(raw).length > 1) return one(raw, label);
    if (!Array.isArray(raw['or'])) return refuse('type', `${label}.or must be an array of conditions.`);
    return raw['or'].flatMap((member, position) => one(member, `${label}.or[${position}]`));
  });
}

/** Over both parameters there is one bound; what is beyond it is not looked at. */
function checkGroups(groups: readonly Given[][]): Condition[][] {
  const all = groups.flat();
  const max = listLimits.conditions;
  all[max]?.refuse('too_many', `There may be at most ${max} conditions in all.`);
  const counted = new Set(all.slice(0, max));
  return groups.map((group) => group.flatMap((given) => (counted.has(given) ? checkCondition(given) : [])));
}

/** @returns the condition, or nothing when it has violations */
function checkCondition({ field, op, value, label, ...given }: Given): Condition[] {
  const refuse: Refuse = (code, detail, allowed) => given.refuse(code, `${label}: ${detail}`, allowed);
  const fitting = operatorsFor(isField(field) ? kindOf(field) : 'label');
  if (field === undefined) refuse('required', 'field is missing.', filterFields);
  else if (!isField(field)) refuse('unknown', `${named(field)} is no field to filter by.`, filterFields);
  if (op === undefined) refuse('required', 'op is missing.', fitting);
  if (value === undefined) refuse('required', 'value is missing.');
  if (!isField(field) || op === undefined) return [];
  const operator = fitting.find((name) => name === op);
  if (!operator) return refuse('not_allowed', `op ${named(op)} does not fit ${field}.`, fitting);
  if (value === undefined) return [];

  const { takes } = operators[operator];
  if (takes === 'flag') {
    if (typeof value === 'boolean') return [{ field, op: operator, values: [value] }];
    return refuse('type', `the value of "${operator}" must be true or false.`);
  }
  if ((takes === 'value') === Array.isArray(value))
    return refuse('type', `"${operator}" takes ${takes === 'value' ? 'a single value, no list' : 'a list'}.`);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (takes === 'range' && list.length !== 2) return refuse('length', `"${operator}" takes two values.`);
  if (list.length > listLimits.values)
    return refuse('too_many', `there may be at most ${listLimits.values} values.`);
  const values = list.flatMap((element) => checkValue(refuse, field, operator, element));
  if (values.length < list.length) return [];
  if (takes === 'range' && isAfter(values[0], values[1]))
    return refuse('range', `the first value of "${operator}" must not be greater than the second.`);
  const isTime = kindOf(field) === 'time';
  return [
    { field, op: operator, values: isTime ? values.map((time) => comparableTime(String(time))) : values },
  ];
}

function named(value: unknown): string {
  return typeof value === 'string' ? `"${shortened(value)}"` : `of type ${typeof value}`;
}

function isField(field: unknown): field is FilterField {
  return filterFields.some((name) => name === field);
}

/** @returns the value as the database takes it, or nothing */
function checkValue(
  refuse: Refuse,
  field: FilterField,
  op: FilterOperator,
  value: unknown,
): Condition['values'] {
  if (value === null)
    return refuse('type', `null is no value here: use {"field":"${field}","op":"null","value":true}.`);
  const kind = kindOf(field);
  if (kind === 'boolean')
    return typeof value === 'boolean' ? [value] : refuse('type', `${field} is true or false.`);
  if (kind === 'integer') {
    if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value)))
      return refuse('type', `${field} is a whole number.`);
    if (value >= int32.min && value <= int32.max) return [value];
    return refuse('range', `${field} is from ${int32.min} to ${int32.max}.`);
  }
  if (typeof value !== 'string') return refuse('type', `${field} is a string.`);
  if (!isStorable(value)) return refuse('format', 'a value must have no NUL and no lone surrogate.');
  if (kind === 'id')
    return isUuid(value) ? [value.toLowerCase()] : refuse('format', 'an id must be one that this API gave.');
  if (kind === 'time') {
    const time = utcTime(value);
    if (time !== undefined) return [time];
    return refuse('format', `${field} is an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z.`);
  }
  if (op === 'contains' || op === 'starts')
    return value === '' ? refuse('length', `"${op}" needs at least one character.`) : [folded(value)];
  // Labels are stored in NFC; codes are compared exactly.
  return [kind === 'label' ? value.normalize('NFC') : value];
}

/** As the database orders them: texts by code point, times with any number of decimals. */
function isAfter(first: Condition['values'][number] | undefined, second: typeof first): boolean {
  if (typeof first === 'number' && typeof second === 'number') return first > second;
  const [a, b] = [first, second].map((value) => Buffer.from(String(value).replace(/Z$/, '')));
  return a !== undefined && b !== undefined && Buffer.compare(a, b) > 0;
}
