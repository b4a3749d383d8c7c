import fc from 'fast-check';
import { command, expectRead, methodAt } from './command.js';
import { type ContractModel } from './contract-model.js';
import { compared, type Condition, listed, type Query, treeOf, type Value } from './list-model.js';

const texts = fc.constantFrom(
  'ups',
  'UPS',
  '03',
  'ground',
  'Ground',
  'É',
  'élan',
  '%',
  '_',
  '\\',
  'ж',
  '字',
  'zz',
  'Z z',
  'UPS Ground',
  'Élan 50%',
);
export const past = '2001-02-03T04:05:06.789Z';
export const future = '2999-12-31T23:59:59+01:00';
const noId = '01890000-0000-7000-8000-000000000000';

/** `{created:3}` and `{id:3}` stand for what the third method of the project has. */
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

function operatorsOf(field: Condition['field']): string[] {
  const all = ['eq', 'ne', 'in', 'nin', 'null'];
  if (field === 'is_active' || field === 'use_default') return all;
  const ordering = ['gt', 'gte', 'lt', 'lte', 'between'];
  return [
    ...all,
    ...ordering,
    ...(field.endsWith('_code') || field.endsWith('_label') ? ['contains', 'starts'] : []),
  ];
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
const query: fc.Arbitrary<Query> = fc.record(
  {
    page: fc.integer({ min: 1, max: 3 }),
    per_page: fc.constantFrom(1, 2, 3, 100),
    q: fc.array(texts, { maxLength: 2 }).map((words) => words.join(' ')),
    filter,
    raw_filters: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: condition },
        { weight: 1, arbitrary: fc.record({ or: fc.array(condition, { maxLength: 3 }) }) },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

function settled(asked: Query, model: ContractModel, project: string): Query {
  const text = JSON.stringify(asked).replace(/\{(id|created):(\d)\}/g, (_, name: string, index: string) => {
    const method = methodAt(model, project, Number(index));
    return name === 'id' ? (method?.id ?? noId) : (method?.created_at ?? past);
  });
  const { raw_filters: rawFilters, ...rest } = JSON.parse(text) as Query;
  if (!rawFilters) return rest;
  return {
    ...rest,
    raw_filters: rawFilters.map((one) => ('or' in one ? { or: one.or.map(inOrder) } : inOrder(one))),
  };
}

/** The two values of `between` stand in order, or are refused. */
function inOrder({ field, op, value }: Condition): Condition {
  const isRange = op === 'between' && Array.isArray(value);
  return { field, op, value: isRange ? value.toSorted((a, b) => compared(field, a, b)) : value };
}

function pathOf(
  base: string,
  { filter: plain, raw_filters: rawFilters, ...rest }: Query,
  isBracketed: boolean,
): string {
  const parameters = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  );
  if (plain && !isBracketed) parameters.set('filter', JSON.stringify(plain));
  for (const [field, value] of Object.entries(isBracketed ? (plain ?? {}) : {})) {
    for (const one of [value].flat()) parameters.append(`filter[${field}]`, String(one));
  }
  if (rawFilters) parameters.set('raw_filters', JSON.stringify(rawFilters));
  return `${base}/shipments/methods?${parameters.toString()}`;
}

const remembered = fc.nat({ max: 5 });
const presented = (model: ContractModel, project: string) =>
  model.of(project).map((method) => model.present(method));

const list = command(
  'list',
  fc.record({ asked: query, isBracketed: fc.boolean(), remembered }),
  async (input, model, shop, shops) => {
    const asked = settled(input.asked, model, shop.project);
    const path = pathOf(shop.base, asked, input.isBracketed);
    await expectRead(
      path,
      listed(presented(model, shop.project), asked),
      model,
      shop,
      shops,
      input.remembered,
    );
  },
);

const wholeList = command('list all', remembered, async (etag, model, shop, shops) => {
  const all = listed(presented(model, shop.project), {});
  await expectRead(`${shop.base}/shipments/methods`, all, model, shop, shops, etag);
});

const tree = command('tree', remembered, async (etag, model, shop, shops) => {
  const whole = treeOf(presented(model, shop.project));
  await expectRead(`${shop.base}/shipments/methods/tree`, whole, model, shop, shops, etag);
});

export const reads = [list, list, list, wholeList, tree];
