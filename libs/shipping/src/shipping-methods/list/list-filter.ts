import { type FilterOperator, type FilterValue, operators } from './list-query.dto.js';
import { type EffectiveMethod } from '../effective-method.js';
import { type FilterField, fieldOf, searchedFields } from '../method-fields.js';
import { byCodePoint } from '../../validation/text.js';

export interface Condition {
  field: FilterField;
  op: FilterOperator;
  /** Two values for `between`, any number for `in` and `nin`, one for the others. Texts are normalised or case-folded. */
  values: FilterValue[];
}

export interface CheckedListQuery {
  page: number;
  perPage: number;
  /** The words of `q`, case-folded. A method must have all of them. */
  words: readonly string[];
  /** A method must satisfy at least one condition of each group. */
  groups: readonly Condition[][];
}

type Test = (value: FilterValue | null, given: readonly FilterValue[]) => boolean;

const isAny: Test = (value, given) => value !== null && given.includes(value);
const ordered =
  (accepts: (comparison: number) => boolean): Test =>
  (value, [bound = '']) =>
    value !== null && accepts(compared(value, bound));
/** Both the text and the part are case-folded. */
const inText =
  (accepts: (text: string, part: string) => boolean): Test =>
  (value, [part]) =>
    value !== null && accepts(String(value), String(part));

/** The meaning of each operator. A null is matched by `ne`, `nin` and `null` only. */
const tests: Record<FilterOperator, Test> = {
  eq: isAny,
  ne: (value, given) => !isAny(value, given),
  in: isAny,
  nin: (value, given) => !isAny(value, given),
  contains: inText((text, part) => text.includes(part)),
  starts: inText((text, part) => text.startsWith(part)),
  gt: ordered((comparison) => comparison > 0),
  gte: ordered((comparison) => comparison >= 0),
  lt: ordered((comparison) => comparison < 0),
  lte: ordered((comparison) => comparison <= 0),
  between: (value, [low = '', high = '']) =>
    value !== null && compared(value, low) >= 0 && compared(value, high) <= 0,
  null: (value, [isNull]) => (value === null) === isNull,
};

/** Returns whether a list with this query has the method. */
export function matches(method: EffectiveMethod, { words, groups }: CheckedListQuery): boolean {
  return (
    words.every((word) => method.searchText.includes(word)) &&
    groups.every((group) => group.some((condition) => satisfies(method, condition)))
  );
}

function satisfies(method: EffectiveMethod, { field, op, values }: Condition): boolean {
  const value = method.value(field);
  if (operators[op].takes === 'part' && value !== null) return tests[op](foldedText(method, field), values);
  const isTime = fieldOf(field).kind === 'time';
  return tests[op](isTime ? String(value).slice(0, -1) : value, values);
}

function foldedText({ searchText }: EffectiveMethod, field: FilterField): string {
  return searchText.split('\n')[searchedFields.findIndex((name) => name === field)] ?? '';
}

export function compared(a: FilterValue, b: FilterValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byCodePoint(String(a), String(b));
}
