import { type FilterField, type FilterOperator, type InheritedField } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpCaller, ServiceCaller } from '../campaign/model/callers.js';
import { ContractModel, type Sent } from '../campaign/model/contract-model.js';
import { withoutEtags } from '../campaign/model/etags.js';
import { type Condition, listed, operators, type Query, type Value } from '../campaign/model/list-model.js';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';

const ups = (method_code: string, more: Partial<Sent> = {}): Sent => ({
  carrier_code: 'ups',
  method_code,
  method_label: `Own ${method_code}`,
  ...more,
});

/** Methods whose values are inherited, own or hidden in each possible way. */
const defaults = [
  ups('all', { carrier_label: 'Brown', method_label: 'Default', sort_order: -9 }),
  ups('no label', { method_label: 'Default 2', sort_order: 3 }),
  ups('not inherited', { carrier_label: 'Brown', method_label: 'Default 3', sort_order: -8 }),
];
const own = [
  ups('all', { carrier_label: 'Own carrier', sort_order: 9, use_default: true }),
  ups('no label', { carrier_label: 'Own carrier', sort_order: -3, use_default: true }),
  ups('not inherited', { sort_order: 2 }),
  ups('no default', { carrier_label: 'Own carrier', sort_order: 1, use_default: true }),
  { ...ups('all', { sort_order: 8, use_default: true }), carrier_code: 'dhl' },
];
const inheritsAnotherLabel = [
  { ...ups('all', { carrier_label: 'DHL', method_label: 'Default', sort_order: 3 }), carrier_code: 'dhl' },
];

const texts = ['Brown', 'Own carrier', 'DHL', 'Default', 'Own all', 'own', 'default', 'Default 2'];
const values: Partial<Record<FilterField, Value[]>> & Record<Exclude<InheritedField, 'meta'>, Value[]> = {
  carrier_label: texts,
  method_label: texts,
  sort_order: [-9, -3, 1, 3, 9],
};
const operatorNames = ['ne', 'nin', 'null', ...Object.keys(operators)] as FilterOperator[];

/** A condition with each value of the field, in the form that the operator takes. */
function conditionsOf(field: FilterField, op: FilterOperator): Condition[] {
  const all = values[field] ?? [];
  if (field === 'sort_order' && (op === 'contains' || op === 'starts')) return [];
  const given: (Value | Value[])[] =
    op === 'null'
      ? [true, false]
      : op === 'between'
        ? all.map((value) =>
            typeof value === 'number' ? [value, 3].toSorted((a, b) => a - b) : ['Default', 'Own'],
          )
        : op === 'in' || op === 'nin'
          ? [[], all.slice(0, 2), all.slice(2)]
          : all;
  return given.map((value) => ({ field: field as Condition['field'], op, value }));
}

const lists: Record<string, Query[]> = {
  order: [{}],
  q: [...texts, 'brown default', 'own carrier default', 'carrier'].map((q) => ({ q })),
};
for (const field of Object.keys(values) as FilterField[]) {
  lists[`filter by ${field}`] = (values[field] ?? []).map((value) => ({ filter: { [field]: value } }));
  for (const op of operatorNames) {
    const conditions = conditionsOf(field, op);
    if (conditions.length > 0) lists[`${field} ${op}`] = conditions.map((one) => ({ raw_filters: [one] }));
  }
}
lists['or'] = [
  { raw_filters: [{ or: [] }] },
  {
    raw_filters: [
      {
        or: [
          ...conditionsOf('sort_order', 'eq').slice(0, 1),
          ...conditionsOf('carrier_label', 'null').slice(0, 1),
        ],
      },
    ],
  },
];

describe('a list of methods that inherit', () => {
  const defaultsProjectId = 'defaults';
  const model = new ContractModel(defaultsProjectId, Infinity);
  const project = freshProject();
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ shipping: { defaultsProjectId } });
    const store = async (owner: string, sent: Sent): Promise<void> => {
      const { body } = await new HttpCaller(app, owner).create(sent);
      const { id, created_at, updated_at } = body as { id: string; created_at: string; updated_at: string };
      const outcome = model.create(owner, sent);
      if (outcome.is !== 'created') throw new Error(`The model has ${sent.method_code} already.`);
      model.keep({ ...outcome.values, id, project_id: owner, version: 1, created_at, updated_at });
    };
    for (const sent of [...defaults, ...inheritsAnotherLabel]) await store(defaultsProjectId, sent);
    for (const sent of own) await store(project, sent);
  });
  afterAll(() => app?.close());

  it.each(Object.keys(lists))(
    'uses the values they show, on each page and in its total: %s',
    async (name) => {
      const shown = model.of(project).map((method) => model.shown(method));
      for (const query of lists[name] ?? []) {
        const secondOnly = { ...query, per_page: 1, page: 2 };

        const whole = await new HttpCaller(app, project).list(query, false);
        const page = await new ServiceCaller(app, project, {}).list(secondOnly);

        const answers = [whole, page].map(({ status, body }) => ({ status, body: withoutEtags(body) }));
        expect({ query, answers }).toEqual({
          query,
          answers: [query, secondOnly].map((one) => ({ status: 200, body: listed(shown, one) })),
        });
      }
    },
  );
});
