import { readFileSync } from 'node:fs';
import {
  type OrderEventDto,
  OrderEventsService,
  type UpsertShippingMethodRequest,
  ShippingMethodsService,
} from 'nestjs-shipping';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';

// docs/leaving.md has links to this SQL.

let app: TestApp;
let methods: ShippingMethodsService;
let events: OrderEventsService;
beforeAll(async () => {
  app = await testApp();
  methods = app.nest.get(ShippingMethodsService);
  events = app.nest.get(OrderEventsService);
});
afterAll(() => app?.close());

const rowsOf = async <Row extends { project_id: string }>(name: string, project: string): Promise<Row[]> => {
  const sql = readFileSync(new URL(`../../docs/sql/${name}.sql`, import.meta.url), 'utf8');
  // On PostgreSQL, each test database is a schema.
  const statement = sql
    .replace(/^--.*$/gm, '')
    .replace(/\bshipping_\w+/g, (table) => app.database.table(table));
  const rows = await app.database.dataSource.query<Row[]>(statement);
  return rows.filter(({ project_id }) => project_id === project);
};
/** Only PostgreSQL returns JSON as an object. */
const jsonOf = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

interface MethodRow {
  project_id: string;
  id: string;
  method_label: string;
  sort_order: number;
  effective_carrier_label: string | null;
  effective_method_label: string;
  effective_sort_order: number;
  effective_meta: unknown;
  effective_is_active: unknown;
}

it('the exported methods have the values that the services show, and the stored values', async () => {
  const project = freshProject();
  const carrier_code = project.slice(-20);
  const create = (to: string, method_code: string, values: Partial<UpsertShippingMethodRequest> = {}) =>
    methods.create(to, {
      carrier_code,
      method_code,
      method_label: 'Stored',
      carrier_label: 'Own',
      ...values,
    });
  await create('default', '03', {
    method_label: 'Default',
    carrier_label: null,
    sort_order: 7,
    meta: { a: 1 },
  });
  await create('default', '05', { method_label: 'Default', use_default: true });
  const other = {
    method_label: 'Default',
    carrier_label: 'UPS',
    sort_order: 3,
    meta: { a: 2 },
    is_active: false,
  };
  await create('default', '06', other);
  await create('default', '07', other);
  await create(project, '03', { use_default: true });
  await create(project, '04', { use_default: true, sort_order: 9 });
  await create(project, '05', { meta: { b: 2 } });
  await create(project, '06', { use_default: ['carrier_label', 'meta'] });
  await create(project, '07', { use_default: ['method_label', 'sort_order', 'is_active'] });

  const exported = await rowsOf<MethodRow>('export-methods', project);

  const { data } = await methods.list(project);
  expect(
    exported.map((row) => ({
      id: row.id,
      carrier_label: row.effective_carrier_label,
      method_label: row.effective_method_label,
      sort_order: Number(row.effective_sort_order),
      meta: jsonOf(row.effective_meta),
      is_active: Boolean(row.effective_is_active),
    })),
  ).toEqual(
    data.map(({ id, carrier_label, method_label, sort_order, meta, is_active }) => {
      return { id, carrier_label, method_label, sort_order, meta, is_active };
    }),
  );
  expect(exported.map(({ method_label, sort_order }) => [method_label, sort_order])).toContainEqual([
    'Stored',
    9,
  ]);
});

it('the exported events are the histories', async () => {
  const project = freshProject();
  const event = { type: 'order.placed', message: 'By phone', dedupe_key: 'placed', data: { a: 1 } };
  await events.record({ projectId: project, orderId: 'o' }, { ...event, actor: { type: 'user', id: 'u' } });
  await events.record(
    { projectId: project, orderId: 'o' },
    { type: 'order.paid', occurred_at: '2026-01-01T00:00:00Z' },
  );

  const exported = await rowsOf<OrderEventDto>('export-events', project);

  const history = await events.findAll({ projectId: project, orderId: 'o' });
  const shown = ({ id, type, message, data, actor }: OrderEventDto) => {
    return { id, type, message, data: jsonOf(data), actor: jsonOf(actor) };
  };
  expect(exported.map(shown)).toMatchObject(
    history.map(({ id, type, message, data }) => ({ id, type, message, data })),
  );
  expect(exported.map(({ type }) => type)).toEqual(['order.paid', 'order.placed']);
});
