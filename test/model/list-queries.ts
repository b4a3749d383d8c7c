import fc from 'fast-check';
import { type FilterOperator } from 'nestjs-shipping';
import { methodAt } from './command.js';
import { type ContractModel } from './contract-model.js';
import { compared, type Condition, operators, type Query, type Value } from './list-model.js';
import { future, past, text } from './values.js';

/** `{text:3:1:0:5}` stands for the first five characters of a text of the method with the index 3. */
const ownText = fc
  .tuple(
    fc.constantFrom('text', 'upper', 'lower'),
    fc.nat({ max: 4 }),
    fc.nat({ max: 3 }),
    fc.constantFrom(0, 0, 1),
    fc.constantFrom(2, 5, 300),
  )
  .map(([change, ...places]) => `{${change}:${places.join(':')}}`);

const texts = fc.oneof({ weight: 2, arbitrary: text }, { weight: 1, arbitrary: ownText });
const noId = '01890000-0000-7000-8000-000000000000';

/** `{created:3}` and `{id:3}` stand for values of the method with the index 3 in the project. */
const values: Record<Condition['field'], fc.Arbitrary<Value>> = {
  id: fc.constantFrom('{id:0}', '{id:1}', '{id:2}', noId),
  carrier_code: texts,
  carrier_label: texts,
  method_code: texts,
  method_label: texts,
  is_active: fc.boolean(),
  use_default: fc.boolean(),
  sort_order: fc.integer({ min: -2, max: 2 }),
  version: fc.integer({ min: 1, max: 3 }),
  created_at: fc.constantFrom('{created:0}', '{created:1}', past, future),
  updated_at: fc.constantFrom('{created:0}', past, future),
};
const fields = Object.keys(values) as Condition['field'][];

const noTexts = new Set<Condition['field']>(['id', 'sort_order', 'version', 'created_at', 'updated_at']);

function operatorsOf(field: Condition['field']): FilterOperator[] {
  const equality: FilterOperator[] = ['eq', 'ne', 'in', 'nin', 'null'];
  if (field === 'is_active' || field === 'use_default') return equality;
  const ordering: FilterOperator[] = ['gt', 'gte', 'lt', 'lte', 'between'];
  if (noTexts.has(field)) return [...equality, ...ordering];
  return ['ne', 'nin', 'null', ...(Object.keys(operators) as FilterOperator[])];
}

const condition: fc.Arbitrary<Condition> = fc.constantFrom(...fields).chain((field) =>
  fc.constantFrom(...operatorsOf(field)).chain((op): fc.Arbitrary<Condition> => {
    const one = values[field];
    const list = fc.array(one, { maxLength: 3 });
    const value: fc.Arbitrary<Value | Value[]> =
      op === 'null' ? fc.boolean() : op === 'between' ? fc.tuple(one, one) : /^n?in$/.test(op) ? list : one;
    return value.map((given) => ({ field, op, value: given }));
  }),
);
const filter = fc
  .array(
    fc
      .constantFrom(...fields)
      .chain((field) =>
        fc
          .oneof(values[field], fc.array(values[field], { minLength: 1, maxLength: 3 }))
          .map((value) => [field, value] as const),
      ),
    { minLength: 1, maxLength: 2 },
  )
  .map((entries): Record<string, Value | Value[]> => Object.fromEntries(entries));
const groups = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: condition },
    { weight: 1, arbitrary: fc.record({ or: fc.array(condition, { maxLength: 3 }) }) },
  ),
  { minLength: 1, maxLength: 3 },
);
const parameters = {
  page: fc.constantFrom(1, 1, 2, 3),
  per_page: fc.constantFrom(1, 2, 3, 100),
  q: fc.array(texts, { maxLength: 2 }).map((words) => words.join(' ')),
  filter,
  raw_filters: groups,
};
const paging = { page: parameters.page, per_page: parameters.per_page };
/** Any list that is not refused. Most lists with all parameters are empty, so only a few have them all. */
export const query: fc.Arbitrary<Query> = fc.oneof(
  fc.record(paging, { requiredKeys: [] }),
  fc.record({ ...paging, q: parameters.q }, { requiredKeys: ['q'] }),
  fc.record({ ...paging, filter }, { requiredKeys: ['filter'] }),
  fc.record({ ...paging, raw_filters: groups }, { requiredKeys: ['raw_filters'] }),
  fc.record(parameters, { requiredKeys: [] }),
);

export const oneParameter: fc.Arbitrary<Query> = fc.oneof(
  ...Object.entries(parameters).map(([name, value]) => fc.record({ [name]: value })),
);

const placeholder = /\{(id|created|text|upper|lower):(\d)(?::(\d):(\d):(\d+))?\}/g;
const textFields = ['carrier_code', 'carrier_label', 'method_code', 'method_label'] as const;

/** Replaces `{created:3}`, `{id:3}` and parts of texts in the query by values of the project. */
export function filledIn(model: ContractModel, project: string, asked: Query): Query {
  const filled = (given: string): string =>
    given.replaceAll(placeholder, (_, name: string, index: string, field = '', from = '', to = '') => {
      const method = methodAt(model, project, Number(index));
      if (name === 'id') return method?.id ?? noId;
      if (name === 'created') return method?.created_at ?? past;
      const own = method?.[textFields[Number(field)] ?? 'method_label'] ?? 'x';
      const part = Array.from(own).slice(Number(from), Number(to)).join('') || 'x';
      return name === 'text' ? part : name === 'upper' ? part.toUpperCase() : part.toLowerCase();
    });
  const { raw_filters: rawFilters, ...rest } = JSON.parse(JSON.stringify(asked), (_key, value: unknown) =>
    typeof value === 'string' ? filled(value) : value,
  ) as Query;
  // A longer search would be refused.
  if (rest.q !== undefined) rest.q = Array.from(rest.q).slice(0, 100).join('');
  if (!rawFilters) return rest;
  return {
    ...rest,
    raw_filters: rawFilters.map((one) => ('or' in one ? { or: one.or.map(inOrder) } : inOrder(one))),
  };
}

/** Sorts the two values of `between`, which would be refused in the wrong order. */
function inOrder({ field, op, value }: Condition): Condition {
  const isRange = op === 'between' && Array.isArray(value);
  return { field, op, value: isRange ? value.toSorted((a, b) => compared(field, a, b)) : value };
}
