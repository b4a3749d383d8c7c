import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

/** 16 KiB of JSON, which the driver of MariaDB sends as 32 KiB, because it escapes quotes and backslashes. */
const largestMeta = { quotes: '"'.repeat(8184) };
const largeMethods = Array.from({ length: 600 }, (_, n) => ({
  carrier_code: 'ups',
  method_code: `${n}`,
  method_label: `${n}`,
  meta: largestMeta,
}));

const host = mounted({ shipping: { defaultsProjectId: 'large-defaults' } });

it('600 methods with the largest meta are stored by one call, and adopted by one', async () => {
  const imported = await host.methods.upsertMany('large-defaults', largeMethods);
  const adopted = await host.methods.adoptDefaults(freshProject());

  expect(imported.created).toHaveLength(600);
  expect(imported.methods.filter(({ meta }) => meta['quotes'] !== largestMeta.quotes)).toEqual([]);
  expect(adopted).toHaveLength(600);
});
