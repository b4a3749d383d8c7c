import fc from 'fast-check';
import { type FilterOperator } from 'nestjs-shipping';
import { compared, type Condition, type Query, type Value } from '../model/list-model.js';
import { carrierCode, methodCode, ownText, searchedFields, searchedText } from './values.js';

const past = '2001-02-03T04:05:06.789Z';
const future = '2999-12-31T23:59:59.9999999+01:00';
export const noId = '01890000-0000-7000-8000-000000000000';

/** `{created:3}` and `{id:3}` stand for values of the method with the index 3 in the project. */
const times = fc.oneof(
  fc.constantFrom(past, future, '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'),
  fc
    .tuple(
      fc.constantFrom('created', 'updated'),
      fc.nat({ max: 3 }),
      fc.constantFrom('', '', '000', '0001', '5', '999'),
    )
    .map(([name, index, finer]) => `{${name}:${index}:${finer}}`),
);

/** @param field its index in `searchedFields` */
function textOf(field: number): fc.Arbitrary<string> {
  return fc.oneof(ownText(field), ownText(field), carrierCode, methodCode, searchedText, searchedText);
}

const values: Record<Condition['field'], fc.Arbitrary<Value>> = {
  id: fc.constantFrom(
    '{id:0}',
    '{id:1}',
    '{id:2}',
    noId,
    noId.toUpperCase(),
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ),
  carrier_code: textOf(0),
  carrier_label: textOf(2),
  method_code: textOf(1),
  method_label: textOf(3),
  is_active: fc.boolean(),
  use_default: fc.boolean(),
  sort_order: fc.constantFrom(-2_147_483_648, -1, 0, 1, 2, 2_147_483_647),
  version: fc.constantFrom(1, 2, 3, 2_147_483_647, -1),
  created_at: times,
  updated_at: times,
};
const fields = Object.keys(values) as Condition['field'][];
const ofAll: FilterOperator[] = ['eq', 'ne', 'in', 'nin', 'null'];
const ofOrdered: FilterOperator[] = ['gt', 'gte', 'lt', 'lte', 'between'];
const ofTexts: FilterOperator[] = ['contains', 'starts', 'contains', 'starts'];

/** Any operator of any field. The order of booleans is refused. */
const condition: fc.Arbitrary<Condition> = fc
  .constantFrom(...fields, ...searchedFields)
  .chain((field) =>
    fc.tuple(
      fc.constant(field),
      fc.constantFrom(
        ...ofAll,
        ...ofOrdered,
        ...(searchedFields.some((name) => name === field) ? ofTexts : []),
      ),
    ),
  )
  .chain(([field, op]) => {
    const one = values[field];
    const list = fc.array(one, { maxLength: 5 });
    const value: fc.Arbitrary<Value | Value[]> =
      op === 'null' ? fc.boolean() : op === 'between' ? fc.tuple(one, one) : /^n?in$/.test(op) ? list : one;
    return value.map((given) => ({ field, op, value: given }));
  });

const filter = fc
  .array(
    fc
      .constantFrom(...fields)
      .chain((field) =>
        fc
          .oneof(values[field], fc.array(values[field], { maxLength: 3 }))
          .map((value) => [field, value] as const),
      ),
    { minLength: 1, maxLength: 2 },
  )
  .map((entries): Record<string, Value | Value[]> => Object.fromEntries(entries));

const rawFilters = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: condition },
    { weight: 1, arbitrary: fc.record({ or: fc.array(condition, { maxLength: 4 }) }) },
  ),
  { minLength: 1, maxLength: 3 },
);

const q = fc.array(searchedText, { maxLength: 2 }).map((words) => words.join(' '));
const paging = { page: fc.constantFrom(1, 1, 1, 2, 3), per_page: fc.constantFrom(1, 2, 3, 100) };
const some = { requiredKeys: [] };

export const query: fc.Arbitrary<Query> = fc.oneof(
  { weight: 1, arbitrary: fc.record(paging, some) },
  { weight: 2, arbitrary: fc.record({ ...paging, q }, { requiredKeys: ['q'] }) },
  { weight: 2, arbitrary: fc.record({ filter }) },
  { weight: 4, arbitrary: condition.map((one) => ({ raw_filters: [one] })) },
  { weight: 3, arbitrary: fc.record({ raw_filters: rawFilters }) },
  { weight: 1, arbitrary: fc.record({ ...paging, q, filter, raw_filters: rawFilters }, some) },
);

/** Replaces `{id:0}` and the like. Puts the two values of `between` in order, which would be refused else. */
export function filledIn(asked: Query, replace: (text: string) => string): Query {
  const filled = JSON.parse(JSON.stringify(asked), (_key, value: unknown) =>
    typeof value === 'string' ? replace(value) : value,
  ) as Query;
  const { raw_filters: sent, ...rest } = filled;
  if (!sent) return rest;
  return {
    ...rest,
    raw_filters: sent.map((one) => ('or' in one ? { or: one.or.map(inOrder) } : inOrder(one))),
  };
}

function inOrder({ field, op, value }: Condition): Condition {
  const isRange = op === 'between' && Array.isArray(value);
  return { field, op, value: isRange ? value.toSorted((a, b) => compared(field, a, b)) : value };
}
