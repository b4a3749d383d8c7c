import { type FaultCode, type FaultPlace, type Faults, shortened } from '../validation/faults.js';
import { isUuid } from '../validation/identifiers.js';
import { isPlainObject } from '../validation/json-object.js';
import { int32 } from '../validation/rules.js';
import { folded, isStorable, lengthOf } from '../validation/text.js';
import { utcTime } from '../validation/time.js';
import {
  type FilterField,
  filterFields,
  type FilterKind,
  type FilterOperator,
  filterOperators,
  listLimits,
} from './dto/list-shipping-methods.dto.js';

export interface Condition {
  field: FilterField;
  op: FilterOperator;
  /** One for most operators, any number for `in` and `nin`, two for `between`; as the database takes them. */
  values: (string | number | boolean)[];
}

/** Made by `checkListQuery` only. */
export class CheckedListQuery {
  constructor(
    readonly page: number,
    readonly perPage: number,
    /** Case-folded; all of them must be found. */
    readonly words: readonly string[],
    /** All of the groups must hold; of a group, any condition. */
    readonly groups: readonly Condition[][],
  ) {}
}

const fieldNames = Object.keys(filterFields) as FilterField[];
const conditionKeys = ['field', 'op', 'value'];

/** @param bracketed whether `filter` came as `filter[field]=value`, for the names in faults */
export function checkListQuery(
  faults: Faults,
  input: unknown,
  maxPageSize: number,
  bracketed = false,
): CheckedListQuery {
  if (input instanceof CheckedListQuery) return input;
  const query = isPlainObject(input) ? input : {};
  if (!isPlainObject(input)) faults.add({ parameter: 'query' }, 'type', 'The query must be an object.');

  const defaultSize = Math.min(listLimits.perPage, maxPageSize);
  const perPage = checkCount(faults, 'per_page', query['per_page'], defaultSize, maxPageSize);
  const page = checkCount(faults, 'page', query['page'], 1, Number.MAX_SAFE_INTEGER);
  if ((page - 1) * perPage > listLimits.offset) {
    faults.add(
      { parameter: 'page' },
      'range',
      `page is too far: (page − 1) × per_page must be at most ${listLimits.offset}. Narrow the list by filter or q.`,
    );
  }
  const conditions = new ConditionChecker(faults);
  const words = checkWords(faults, query['q']);
  const groups = [
    ...checkFilter(conditions, query['filter'], bracketed),
    ...checkRawFilters(conditions, query['raw_filters']),
  ];
  return new CheckedListQuery(page, perPage, words, groups);
}

function checkCount(
  faults: Faults,
  parameter: string,
  value: unknown,
  fallback: number,
  max: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || (!Number.isInteger(value) && Number.isFinite(value))) {
    faults.add({ parameter }, 'type', `${parameter} must be a whole number.`);
    return fallback;
  }
  if (value >= 1 && value <= max) return value;
  faults.add({ parameter }, 'range', `${parameter} must be 1 to ${max}.`);
  return fallback;
}

function checkWords(faults: Faults, q: unknown): string[] {
  const parameter = 'q';
  if (q === undefined) return [];
  if (typeof q !== 'string') faults.add({ parameter }, 'type', 'q must be a string.');
  else if (!isStorable(q)) faults.add({ parameter }, 'format', 'q must have no NUL and no lone surrogate.');
  else if (lengthOf(q) > listLimits.q)
    faults.add({ parameter }, 'length', `q must be at most ${listLimits.q} characters.`);
  else
    return q
      .split(/\s+/u)
      .filter((word) => word !== '')
      .map(folded);
  return [];
}

function checkFilter(conditions: ConditionChecker, filter: unknown, bracketed: boolean): Condition[][] {
  if (filter === undefined) return [];
  if (!isPlainObject(filter)) {
    conditions.refuse({ parameter: 'filter' }, 'type', 'filter must be a JSON object of fields and values.');
    return [];
  }
  return Object.entries(filter).map(([field, value]) => {
    const name = shortened(field);
    const place = { parameter: bracketed ? `filter[${name}]` : 'filter' };
    const label = bracketed ? place.parameter : `filter.${name}`;
    return conditions.check(place, label, field, 'in', Array.isArray(value) ? value : [value]);
  });
}

function checkRawFilters(conditions: ConditionChecker, rawFilters: unknown): Condition[][] {
  const place = { parameter: 'raw_filters' };
  if (rawFilters === undefined) return [];
  if (!Array.isArray(rawFilters)) {
    conditions.refuse(place, 'type', 'raw_filters must be a JSON array of conditions.');
    return [];
  }
  const one = (raw: unknown, label: string): Condition[] => {
    if (!isPlainObject(raw)) {
      conditions.refuse(place, 'type', `${label} must be an object {"field":…,"op":…,"value":…}.`);
      return [];
    }
    if ('or' in raw) {
      conditions.refuse(
        place,
        'not_allowed',
        `${label} must not hold "or": only one level of it, alone in its object.`,
      );
      return [];
    }
    for (const key of Object.keys(raw)) {
      if (!conditionKeys.includes(key)) {
        conditions.refuse(
          place,
          'unknown',
          `${label} has the unknown key "${shortened(key)}".`,
          conditionKeys,
        );
      }
    }
    return conditions.check(place, label, raw['field'], raw['op'], raw['value']);
  };
  return rawFilters.map((raw: unknown, index) => {
    const label = `raw_filters[${index}]`;
    if (!isPlainObject(raw) || !('or' in raw) || Object.keys(raw).length > 1) return one(raw, label);
    if (!Array.isArray(raw['or'])) {
      conditions.refuse(place, 'type', `${label}.or must be an array of conditions.`);
      return [];
    }
    return raw['or'].flatMap((member, position) => one(member, `${label}.or[${position}]`));
  });
}

/** Checks single conditions, and counts them over both parameters. */
class ConditionChecker {
  private count = 0;

  constructor(private readonly faults: Faults) {}

  refuse(place: FaultPlace, code: FaultCode, detail: string, allowed?: readonly string[]): void {
    this.faults.add(place, code, detail, allowed);
  }

  /** @returns the condition, or nothing when it has faults */
  check(place: FaultPlace, label: string, field: unknown, op: unknown, value: unknown): Condition[] {
    this.count++;
    if (this.count > listLimits.conditions) {
      if (this.count === listLimits.conditions + 1) {
        this.refuse(place, 'too_many', `There may be at most ${listLimits.conditions} conditions in all.`);
      }
      return [];
    }
    for (const [name, part] of Object.entries({ field, op, value })) {
      if (part === undefined)
        this.refuse(place, 'required', `${label}: ${name} is missing.`, allowedOf(name, field));
    }
    if (field !== undefined && !isField(field)) {
      this.refuse(place, 'unknown', `${label}: ${named(field)} is no field to filter by.`, fieldNames);
    }
    if (!isField(field) || op === undefined) return [];
    const kind = filterFields[field];
    if (!isOperator(kind, op)) {
      this.refuse(
        place,
        'not_allowed',
        `${label}: op ${named(op)} does not fit ${field}.`,
        filterOperators[kind],
      );
      return [];
    }
    if (value === undefined) return [];
    const values = this.checkValues(place, label, field, op, value);
    return values ? [{ field, op, values }] : [];
  }

  private checkValues(
    place: FaultPlace,
    label: string,
    field: FilterField,
    op: FilterOperator,
    value: unknown,
  ): Condition['values'] | undefined {
    if (op === 'null') {
      if (typeof value === 'boolean') return [value];
      this.refuse(place, 'type', `${label}: the value of "null" must be true or false.`);
      return undefined;
    }
    const takesList = op === 'in' || op === 'nin' || op === 'between';
    if (takesList !== Array.isArray(value)) {
      this.refuse(
        place,
        'type',
        `${label}: "${op}" takes ${takesList ? 'a list' : 'a single value, no list'}.`,
      );
      return undefined;
    }
    const list: unknown[] = Array.isArray(value) ? value : [value];
    if (op === 'between' && list.length !== 2) {
      this.refuse(place, 'length', `${label}: "between" takes two values.`);
      return undefined;
    }
    if (list.length > listLimits.values) {
      this.refuse(place, 'too_many', `${label} may have at most ${listLimits.values} values.`);
      return undefined;
    }
    const values: Condition['values'] = [];
    for (const element of list) {
      const read = readValue(field, op, element);
      if (typeof read === 'object') this.refuse(place, read.code, `${label}: ${read.detail}`);
      else values.push(read);
    }
    if (values.length < list.length) return undefined;
    if (op === 'between' && isAfter(values[0], values[1])) {
      this.refuse(
        place,
        'range',
        `${label}: the first value of "between" must not be greater than the second.`,
      );
      return undefined;
    }
    return values;
  }
}

function allowedOf(name: string, field: unknown): readonly string[] | undefined {
  if (name === 'field') return fieldNames;
  return name === 'op' ? filterOperators[isField(field) ? filterFields[field] : 'text'] : undefined;
}

function named(value: unknown): string {
  return typeof value === 'string' ? `"${shortened(value)}"` : `of type ${typeof value}`;
}

function isField(field: unknown): field is FilterField {
  return typeof field === 'string' && Object.hasOwn(filterFields, field);
}

function isOperator(kind: FilterKind, op: unknown): op is FilterOperator {
  return (filterOperators[kind] as readonly unknown[]).includes(op);
}

function readValue(
  field: FilterField,
  op: FilterOperator,
  value: unknown,
): string | number | boolean | { code: FaultCode; detail: string } {
  const refused = (code: FaultCode, detail: string) => ({ code, detail });
  if (value === null) {
    return refused('type', `null is no value here: use {"field":"${field}","op":"null","value":true}.`);
  }
  const kind = filterFields[field];
  if (kind === 'boolean') {
    return typeof value === 'boolean' ? value : refused('type', `${field} is true or false.`);
  }
  if (kind === 'integer') {
    if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value)))
      return refused('type', `${field} is a whole number.`);
    if (value >= int32.min && value <= int32.max) return value;
    return refused('range', `${field} is from ${int32.min} to ${int32.max}.`);
  }
  if (typeof value !== 'string') return refused('type', `${field} is a string.`);
  if (!isStorable(value)) return refused('format', 'a value must have no NUL and no lone surrogate.');
  if (kind === 'id') {
    return isUuid(value) ? value.toLowerCase() : refused('format', 'an id must be one that this API gave.');
  }
  if (kind === 'time') {
    return (
      utcTime(value) ??
      refused('format', `${field} is an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z.`)
    );
  }
  if (op === 'contains' || op === 'starts') {
    return value === '' ? refused('length', `"${op}" needs at least one character.`) : folded(value);
  }
  // Labels are stored in NFC; codes are compared exactly.
  return field.endsWith('_label') ? value.normalize('NFC') : value;
}

/** As the database orders them: texts by code point, times with any number of decimals. */
function isAfter(first: Condition['values'][number] | undefined, second: typeof first): boolean {
  if (typeof first === 'number' && typeof second === 'number') return first > second;
  const [a, b] = [first, second].map((value) => Buffer.from(String(value).replace(/Z$/, '')));
  return a !== undefined && b !== undefined && Buffer.compare(a, b) > 0;
}
