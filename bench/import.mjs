// Times `upsertMany` of the real methods beside as many single upserts, in this process and on PostgreSQL.
import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { newDatabase } from './databases.mjs';
import { amountRow, median, ratioRow } from './report/rows.mjs';

const file = new URL('../../shared/data/carriers.json', import.meta.url);

/** @param rounds the order of the two changes from one to the next; the first one more only warms up */
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
  const context = await NestFactory.createApplicationContext(host(database.url), { logger: ['error'] });
  const methods = context.get(ShippingMethods, { strict: false });
  const kinds = {
    many: (project) => methods.upsertMany(project, requests),
    single: async (project) => {
      for (const request of requests) await methods.upsert(project, request);
    },
  };
  const created = [];
  const repeated = [];
  for (let round = 0; round <= Number(rounds); round++) {
    const [first, again] = [{}, {}];
    for (const kind of round % 2 === 0 ? ['many', 'single'] : ['single', 'many']) {
      const project = `${kind}-${round}`;
      first[kind] = await timed(() => kinds[kind](project));
      again[kind] = await timed(() => kinds[kind](project));
      const { total } = (await methods.list(project)).meta;
      if (total !== requests.length) throw new Error(`${project} holds ${total} methods.`);
    }
    if (round === 0) continue;
    created.push(first);
    repeated.push(again);
  }
  await context.close();
  const title = `${requests.length} methods by \`upsertMany\``;
  const rival = 'single upserts';
  const ratios = (results) => results.map(({ many, single }) => single / many);
  return {
    server: database.version,
    rows: [
      ratioRow({ title: `${title}, an empty project`, rival, ratios: ratios(created), atLeast: 20 }),
      ratioRow({ title: `${title}, unchanged`, rival, ratios: ratios(repeated) }),
      amountRow(`${title}, an empty project`, median(created.map(({ many }) => many)), 'ms', 1_000),
    ],
  };
}

function host(url) {
  const entities = shippingEntities;
  const database = { type: 'postgres', url, entities, migrations: shippingMigrations, migrationsRun: true };
  return {
    module: class {},
    imports: [TypeOrmModule.forRoot(database), ShippingModule.forRoot({ http: false })],
  };
}

async function timed(work) {
  const since = performance.now();
  await work();
  return performance.now() - since;
}
