import { ShippingMethod } from 'nestjs-shipping';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { watchStatements } from '../support/statements.js';
import { methodsOf } from '../support/changes.js';

/** 16 KiB of JSON, which the driver of MariaDB sends as 32 KiB, because it escapes quotes and backslashes. */
const largestMeta = { quotes: '"'.repeat(8184) };
const largeMethods = Array.from({ length: 600 }, (_, n) => ({
  carrier_code: 'ups',
  method_code: `${n}`,
  method_label: `${n}`,
  meta: largestMeta,
}));

const host = mounted({ shipping: { defaultsProjectId: 'large-defaults' } });

it('upsertMany stores 600 methods with the largest meta, and adoptDefaults copies them', async () => {
  const imported = await host.methods.upsertMany('large-defaults', largeMethods);
  const { methods: adopted } = await host.methods.adoptDefaults(freshProject());

  expect(imported.changes).toHaveLength(600);
  expect(imported.methods.filter(({ meta }) => meta['quotes'] !== largestMeta.quotes)).toEqual([]);
  expect(adopted).toHaveLength(600);
});

it('upsertMany stores 250 changed methods, each by one statement', async () => {
  const project = freshProject();
  const requests = (state: number) =>
    Array.from({ length: 250 }, (_, n) => ({
      carrier_code: 'ups',
      carrier_label: n % 2 === state ? null : `Über ${n}`,
      method_code: `${n}`,
      method_label: `'${n}' "${state}"`,
      is_active: n % 2 === state,
      sort_order: n - 100 * state,
      meta: { n, state, text: `it's \\ "quoted" :id0 ${state}` },
      use_default: n % 3 === state,
    }));
  await host.methods.upsertMany(project, requests(0));
  const { sent, stop } = watchStatements(host.dataSource);

  const { changes } = await host.methods.upsertMany(project, requests(1));
  stop();

  expect(methodsOf(changes, 'updated')).toHaveLength(250);
  expect(sent.filter((sql) => /^UPDATE \S*shipping_method\b/.test(sql))).toHaveLength(250);
  const rows = await host.dataSource.getRepository(ShippingMethod).findBy({ projectId: project });
  const stored = new Map(rows.map((row) => [row.methodCode, row]));
  for (const { carrier_label, method_code, method_label, is_active, sort_order, meta } of requests(1))
    expect(stored.get(method_code)).toMatchObject({
      carrierLabel: carrier_label,
      methodLabel: method_label,
      isActive: is_active,
      sortOrder: sort_order,
      meta,
      version: 2,
    });
});
