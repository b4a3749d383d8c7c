import { byCodePoint } from '../../validation/text.js';
import { type FieldKind, fieldOf, type FilterField } from '../method-fields.js';

export type FilterValue = string | number | boolean;

type FilterKind = Exclude<FieldKind, 'json'>;

/** @param operands the values of the condition. Times have no `Z`: see `checkValue` in list-query.check.ts. */
type Test = (value: FilterValue | null, operands: readonly FilterValue[]) => boolean;

interface Operator {
  /**
   * The value that the operator takes. `part` is a part of a text, which is compared folded. `range` is a list of
   * two values in order, and `flag` is true or false.
   */
  takes: 'value' | 'part' | 'list' | 'range' | 'flag';
  /** The kinds of fields that the operator compares. */
  kinds: readonly FilterKind[];
  test: Test;
}

const textKinds = ['code', 'label'] as const;
const orderedKinds = [...textKinds, 'id', 'integer', 'time'] as const;
const allKinds = [...orderedKinds, 'boolean'] as const;

const isAny: Test = (value, operands) => value !== null && operands.includes(value);
const isNone: Test = (value, operands) => !isAny(value, operands);
const orderTest =
  (accepts: (comparison: number) => boolean): Test =>
  (value, [bound = '']) =>
    value !== null && accepts(compareValues(value, bound));
/** Both the text and the part are folded. */
const textTest =
  (accepts: (text: string, part: string) => boolean): Test =>
  (value, [part]) =>
    value !== null && accepts(String(value), String(part));
const isBetween: Test = (value, [low = '', high = '']) =>
  value !== null && compareValues(value, low) >= 0 && compareValues(value, high) <= 0;

/** Only `ne`, `nin` and `null` match a null. */
export const operators = {
  eq: { takes: 'value', kinds: allKinds, test: isAny },
  ne: { takes: 'value', kinds: allKinds, test: isNone },
  in: { takes: 'list', kinds: allKinds, test: isAny },
  nin: { takes: 'list', kinds: allKinds, test: isNone },
  contains: { takes: 'part', kinds: textKinds, test: textTest((text, part) => text.includes(part)) },
  starts: { takes: 'part', kinds: textKinds, test: textTest((text, part) => text.startsWith(part)) },
  gt: { takes: 'value', kinds: orderedKinds, test: orderTest((comparison) => comparison > 0) },
  gte: { takes: 'value', kinds: orderedKinds, test: orderTest((comparison) => comparison >= 0) },
  lt: { takes: 'value', kinds: orderedKinds, test: orderTest((comparison) => comparison < 0) },
  lte: { takes: 'value', kinds: orderedKinds, test: orderTest((comparison) => comparison <= 0) },
  between: { takes: 'range', kinds: orderedKinds, test: isBetween },
  null: { takes: 'flag', kinds: allKinds, test: (value, [isNull]) => (value === null) === isNull },
} as const satisfies Record<string, Operator>;

/** How a condition compares a field with its value. */
export type FilterOperator = keyof typeof operators;

export const operatorNames = Object.keys(operators) as FilterOperator[];

export function kindOf(field: FilterField): FilterKind {
  return fieldOf(field).kind as FilterKind;
}

export function operatorsFor(kind: FilterKind): FilterOperator[] {
  return operatorNames.filter((name) => operators[name].kinds.some((each) => each === kind));
}

export function compareValues(a: FilterValue, b: FilterValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byCodePoint(String(a), String(b));
}
