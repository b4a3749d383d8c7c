// Measures the time of `upsertMany` of the real methods and of as many single writes, in this process and on
// PostgreSQL.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { newDatabase } from './databases.mjs';
import { hostOn, require } from './host.mjs';
import { amountRow, median, ratioRow } from './report/rows.mjs';

const { NestFactory } = require('@nestjs/core');
const { DataSource } = require('typeorm');
const { ShippingMethod, ShippingMethodsService } = require('nestjs-shipping');
const file = new URL('../../../shared/data/carriers.json', import.meta.url);

/**
 * @param rounds how many rounds are measured; one more round comes first to warm up, and every round reverses the order
 */
export async function measureImports({ rounds }) {
  if (!existsSync(file)) {
    console.log('Skipped: upsertMany (the real methods are not here).');
    return { rows: [], server: '' };
  }
  const requests = JSON.parse(readFileSync(file, 'utf8')).map((method, sort_order) => ({
    carrier_code: method.carrier_code,
    carrier_label: method.carrier_label,
    method_code: method.method_code,
    method_label: method.method_label,
    meta: method.meta,
    sort_order,
  }));
  const database = await newDatabase('postgres', 'import');
  const context = await NestFactory.createApplicationContext(
    hostOn({ type: 'postgres', url: database.url }),
    { logger: ['error'] },
  );
  const methods = context.get(ShippingMethodsService, { strict: false });
  const rows = context.get(DataSource).getRepository(ShippingMethod);
  const kinds = {
    many: (project) => methods.upsertMany(project, requests),
    single: async (project) => {
      for (const request of requests) await methods.upsert(project, request);
    },
    // A team that writes this by hand saves entities of TypeORM.
    naive: async (project) => {
      for (const request of requests) await rows.save({ ...byHand(request), projectId: project });
    },
  };
  const created = [];
  const repeated = [];
  for (let round = 0; round <= Number(rounds); round++) {
    const [first, again] = [{}, {}];
    const order = Object.keys(kinds);
    for (const kind of round % 2 === 0 ? order : order.toReversed()) {
      const project = `${kind}-${round}`;
      first[kind] = await timed(() => kinds[kind](project));
      if (kind !== 'naive') again[kind] = await timed(() => kinds[kind](project));
      const total = await rows.countBy({ projectId: project });
      if (total !== requests.length) throw new Error(`${project} holds ${total} methods.`);
    }
    if (round === 0) continue;
    created.push(first);
    repeated.push(again);
  }
  await context.close();
  const title = `${requests.length} methods by \`upsertMany\``;
  const ratios = (results, rival) => results.map((times) => times[rival] / times.many);
  return {
    server: database.version,
    rows: [
      ratioRow({
        title: `${title}, an empty project`,
        rival: 'naive',
        ratios: ratios(created, 'naive'),
        atLeast: 20,
      }),
      ratioRow({ title: `${title}, an empty project`, rival: '`upsert`', ratios: ratios(created, 'single') }),
      ratioRow({ title: `${title}, unchanged`, rival: '`upsert`', ratios: ratios(repeated, 'single') }),
      amountRow(`${title}, an empty project`, median(created.map(({ many }) => many)), 'ms', 1_000),
    ],
  };
}

function byHand({ carrier_code, carrier_label, method_code, method_label, meta, sort_order }) {
  const [createdAt, updatedAt] = [new Date(), new Date()];
  return {
    id: randomUUID(),
    carrierCode: carrier_code,
    carrierLabel: carrier_label ?? null,
    methodCode: method_code,
    methodLabel: method_label,
    isActive: true,
    sortOrder: sort_order,
    meta: meta ?? {},
    useDefault: [],
    version: 1,
    createdAt,
    updatedAt,
  };
}

async function timed(work) {
  const since = performance.now();
  await work();
  return performance.now() - since;
}
