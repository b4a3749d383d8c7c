import { type FilterOperator, type operators } from '../shipping-methods/dto/list-shipping-methods.dto.js';
import { type CheckedListQuery, type Condition } from '../shipping-methods/list-query.check.js';
import {
  type FieldKind,
  type FieldName,
  fieldOf,
  methodFields,
  searchedFields,
} from '../shipping-methods/method-fields.js';

// What a method shows, in the SQL of any engine, so that lists, order, search and filters all see the same values. `m` is
// the method and `d` its default: the method with the same codes in the defaults project, if `m` has `use_default`. An
// inherited field shows the value of `d`, or the method's own where `d` is missing or has null.

export type ValueKind = FieldKind | 'bigint';

/** Collects a value of the statement. @returns its placeholder */
export type Bind = (value: unknown, kind: ValueKind) => string;

/** The values of a statement. */
export interface Values {
  readonly all: unknown[];
  readonly bind: Bind;
}

/** What the engines say differently. All take and give SQL. */
export interface Dialect {
  /** A statement begins. */
  values(): Values;
  /** One of the lines of a text, from 1. Beyond the last line it is empty: older rows have fewer lines. */
  line(text: string, number: number): string;
  contains(text: string, part: string): string;
  starts(text: string, part: string): string;
  anyOf(value: string, values: readonly unknown[], kind: FieldKind, bind: Bind): string;
  noneOf(value: string, values: readonly unknown[], kind: FieldKind, bind: Bind): string;
  /** One text of texts and numbers. None of them is null. */
  concat(texts: readonly string[]): string;
  /** The texts that are not null, with a separator between. */
  joined(separator: string, texts: readonly string[]): string;
  /** JSON of a text or of null. */
  jsonText(text: string): string;
  jsonBoolean(value: string): string;
  /** ISO 8601, UTC, milliseconds. */
  wireTime(time: string): string;
}

const newline = "'\n'";

export const listOrder = ['sort_order', 'carrier_code', 'method_code'] as const;

/** The value that a method shows. @param inherits whether the defaults are joined; else no method may have `use_default` */
export function shown(name: FieldName, inherits: boolean): string {
  return inherits && fieldOf(name).inherited ? `COALESCE(d.${name}, m.${name})` : `m.${name}`;
}

/** The order of every list: code points, ascending. The pair of codes is unique, so the order is total. */
export function shownOrder(inherits: boolean): string {
  return listOrder.map((name) => shown(name, inherits)).join(', ');
}

/** The conditions of a list. All of them must hold. */
export function conditionsOf(
  { words, groups }: CheckedListQuery,
  inherits: boolean,
  dialect: Dialect,
  bind: Bind,
): string[] {
  const text = shownText(inherits, dialect);
  return [
    ...words.map((word) => dialect.contains(text, bind(word, 'label'))),
    ...groups.map((group) => {
      const any = group.map((condition) => satisfies(condition, inherits, dialect, bind));
      return any.length > 0 ? `(${any.join(' OR ')})` : 'false';
    }),
  ];
}

/** The searched texts that a method shows, on the lines of `search_text`. */
function shownText(inherits: boolean, dialect: Dialect): string {
  if (!inherits) return 'm.search_text';
  const lines = searchedFields.map((name) => {
    const { inherited: isInherited, nullable } = fieldOf(name);
    const { searchLine } = methodFields[name];
    const own = dialect.line('m.search_text', searchLine);
    if (!isInherited) return own;
    const ofDefault = dialect.line('d.search_text', searchLine);
    return nullable ? `CASE WHEN d.${name} IS NULL THEN ${own} ELSE ${ofDefault} END` : ofDefault;
  });
  return `CASE WHEN d.id IS NULL THEN m.search_text ELSE ${dialect.joined(newline, lines)} END`;
}

function satisfies(
  { field, op, values }: Condition,
  inherits: boolean,
  dialect: Dialect,
  bind: Bind,
): string {
  // Only operators for texts ask for the line.
  const { kind, searchLine = 0 } = fieldOf(field);
  const given: Compared & ComparedText = {
    dialect,
    value: shown(field, inherits),
    text: () => dialect.line(shownText(inherits, dialect), searchLine),
    one: (place: number = 0) => bind(values[place], kind),
    list: [values, kind, bind],
    isTrue: values[0] === true,
  };
  return comparisons[op](given);
}

interface Compared {
  dialect: Dialect;
  /** The value that the method shows. */
  value: string;
  /** Binds a value of the condition, by default the first. */
  one: (place?: number) => string;
  /** All of them, for the dialect. */
  list: [values: readonly unknown[], kind: FieldKind, bind: Bind];
  isTrue: boolean;
}

/** For operators that take a part of a text. */
interface ComparedText {
  dialect: Dialect;
  /** The value that the method shows, case-folded. */
  text: () => string;
  /** Binds the part, case-folded. */
  one: () => string;
}

type Comparison<Takes> = (given: Takes extends 'part' ? ComparedText : Compared) => string;

const anyOf = ({ dialect, value, list }: Compared): string => dialect.anyOf(value, ...list);
const noneOf = ({ dialect, value, list }: Compared): string =>
  `(${value} IS NULL OR ${dialect.noneOf(value, ...list)})`;

const comparisons: { [Name in FilterOperator]: Comparison<(typeof operators)[Name]['takes']> } = {
  eq: anyOf,
  in: anyOf,
  ne: noneOf,
  nin: noneOf,
  contains: ({ dialect, text, one }) => dialect.contains(text(), one()),
  starts: ({ dialect, text, one }) => dialect.starts(text(), one()),
  gt: ({ value, one }) => `${value} > ${one()}`,
  gte: ({ value, one }) => `${value} >= ${one()}`,
  lt: ({ value, one }) => `${value} < ${one()}`,
  lte: ({ value, one }) => `${value} <= ${one()}`,
  between: ({ value, one }) => `${value} BETWEEN ${one(0)} AND ${one(1)}`,
  null: ({ value, isTrue }) => `${value} IS ${isTrue ? '' : 'NOT '}NULL`,
};
