import { type EffectiveMethod } from '../effective-method.js';
import { type FilterField, searchedFields } from '../method-fields.js';
import { type FilterOperator, type FilterValue, kindOf, operators } from './list-operators.js';

export interface Condition {
  field: FilterField;
  op: FilterOperator;
  /**
   * Two values for `between`, any number for `in` and `nin`, one for the others. Labels are in NFC, parts of texts are
   * folded, codes are as they were sent, and times have no `Z`.
   */
  values: FilterValue[];
}

export interface CheckedListQuery {
  page: number;
  perPage: number;
  /** The words of `q`, folded. A method must have all of them. */
  words: readonly string[];
  /** A method must satisfy at least one condition of each group. */
  groups: readonly Condition[][];
}

/** Returns whether the method belongs to a list with this query. */
export function matches(method: EffectiveMethod, { words, groups }: CheckedListQuery): boolean {
  return (
    words.every((word) => method.foldedTexts.some((text) => text.includes(word))) &&
    groups.every((group) => group.some((condition) => satisfies(method, condition)))
  );
}

function satisfies(method: EffectiveMethod, { field, op, values }: Condition): boolean {
  const { takes, test } = operators[op];
  const value = field === 'use_default' ? method.stored.use_default !== false : method.value(field);
  if (value === null) return test(null, values);
  if (takes === 'part') return test(foldedText(method, field), values);
  // A time is compared without its `Z`, as `checkValue` explains.
  return test(kindOf(field) === 'time' ? String(value).slice(0, -1) : value, values);
}

function foldedText({ foldedTexts }: EffectiveMethod, field: FilterField): string {
  return foldedTexts[searchedFields.findIndex((name) => name === field)] ?? '';
}
