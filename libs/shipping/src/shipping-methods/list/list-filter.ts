import { type FilterOperator, type FilterValue, operators } from './list-query.dto.js';
import { type EffectiveMethod } from '../effective-method.js';
import { type FilterField, fieldOf, searchedFields } from '../method-fields.js';
import { byCodePoint } from '../../validation/text.js';

export interface Condition {
  field: FilterField;
  op: FilterOperator;
  /**
   * Two values for `between`, any number for `in` and `nin`, one for the others. Texts are normalised or case-folded.
   */
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

/** @param operands the values of the condition */
type Test = (value: FilterValue | null, operands: readonly FilterValue[]) => boolean;

const isAny: Test = (value, operands) => value !== null && operands.includes(value);
const orderTest =
  (accepts: (comparison: number) => boolean): Test =>
  (value, [bound = '']) =>
    value !== null && accepts(compareValues(value, bound));
/** Both the text and the part are case-folded. */
const textTest =
  (accepts: (text: string, part: string) => boolean): Test =>
  (value, [part]) =>
    value !== null && accepts(String(value), String(part));

/** The meaning of each operator. Only `ne`, `nin` and `null` match a null. */
const tests: Record<FilterOperator, Test> = {
  eq: isAny,
  ne: (value, operands) => !isAny(value, operands),
  in: isAny,
  nin: (value, operands) => !isAny(value, operands),
  contains: textTest((text, part) => text.includes(part)),
  starts: textTest((text, part) => text.startsWith(part)),
  gt: orderTest((comparison) => comparison > 0),
  gte: orderTest((comparison) => comparison >= 0),
  lt: orderTest((comparison) => comparison < 0),
  lte: orderTest((comparison) => comparison <= 0),
  between: (value, [low = '', high = '']) =>
    value !== null && compareValues(value, low) >= 0 && compareValues(value, high) <= 0,
  null: (value, [isNull]) => (value === null) === isNull,
};

/** Returns whether the method belongs to a list with this query. */
export function matches(method: EffectiveMethod, { words, groups }: CheckedListQuery): boolean {
  return (
    words.every((word) => method.foldedTexts.some((text) => text.includes(word))) &&
    groups.every((group) => group.some((condition) => satisfies(method, condition)))
  );
}

function satisfies(method: EffectiveMethod, { field, op, values }: Condition): boolean {
  const value = method.value(field);
  if (operators[op].takes === 'part' && value !== null) return tests[op](foldedText(method, field), values);
  // A time is compared without its `Z`, as `checkValue` explains.
  const isTime = fieldOf(field).kind === 'time';
  return tests[op](isTime ? String(value).slice(0, -1) : value, values);
}

function foldedText({ foldedTexts }: EffectiveMethod, field: FilterField): string {
  return foldedTexts[searchedFields.findIndex((name) => name === field)] ?? '';
}

export function compareValues(a: FilterValue, b: FilterValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byCodePoint(String(a), String(b));
}
