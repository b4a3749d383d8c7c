// Times `upsertMany` of the real methods into an empty project and again unchanged, beside as many single upserts.
//
//   node bench/import.mjs [rounds]    after `npm run build`; BENCH_DATABASE_URL: a database of PostgreSQL to try in
//
// The order changes from round to round. Each ratio is of one round. Everything is printed, nothing is written.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { cpuUsage } from 'node:process';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource } from 'typeorm';

const url = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const schema = `bench_import_${process.pid}`;
const rounds = Number(process.argv[2] ?? 5);
const file = process.env.BENCH_METHODS ?? new URL('../../shared/data/carriers.json', import.meta.url);
const requests = JSON.parse(readFileSync(file, 'utf8')).map(
  ({ carrier_code, carrier_label, method_code, method_label, meta }, sort_order) => ({
    carrier_code,
    carrier_label,
    method_code,
    method_label,
    meta,
    sort_order,
  }),
);

const context = await NestFactory.createApplicationContext(
  {
    module: class {},
    imports: [
      TypeOrmModule.forRootAsync({
        useFactory: () => ({
          type: 'postgres',
          url,
          schema,
          entities: shippingEntities,
          migrations: shippingMigrations,
        }),
        dataSourceFactory: async (options) => {
          const dataSource = await new DataSource(options).initialize();
          await dataSource.query(`CREATE SCHEMA ${schema}`);
          await dataSource.runMigrations();
          return dataSource;
        },
      }),
      ShippingModule.forRoot({ http: false }),
    ],
  },
  { logger: ['error'] },
);
const methods = context.get(ShippingMethods, { strict: false });

const kinds = {
  many: async (project) => {
    await methods.upsertMany(project, requests);
  },
  single: async (project) => {
    for (const request of requests) await methods.upsert(project, request);
  },
};
const [create, again] = [[], []];
for (let round = -1; round < rounds; round++) {
  const names = round % 2 === 0 ? ['many', 'single'] : ['single', 'many'];
  const [created, repeated] = [{}, {}];
  for (const name of names) {
    const project = `${name}-${round + 1}`;
    created[name] = await timed(() => kinds[name](project));
    repeated[name] = await timed(() => kinds[name](project));
    const { total } = (await methods.list(project)).meta;
    if (total !== requests.length) throw new Error(`${project} holds ${total} methods.`);
  }
  // The first round only warms up.
  if (round < 0) continue;
  create.push(created);
  again.push(repeated);
}
await context.get(DataSource).query(`DROP SCHEMA ${schema} CASCADE`);
await context.close();

print(`into an empty project`, create);
print(`again, unchanged`, again);

async function timed(work) {
  const [since, cpu] = [performance.now(), cpuUsage()];
  await work();
  const { user, system } = cpuUsage(cpu);
  return { ms: performance.now() - since, cpu: (user + system) / 1000 };
}

function print(title, results) {
  for (const unit of ['ms', 'cpu']) {
    const of = (name) => median(results.map((each) => each[name][unit]));
    const ratios = results.map((each) => each.single[unit] / each.many[unit]);
    console.log(
      `${requests.length} methods ${title}, ${unit === 'ms' ? 'ms' : 'ms of CPU in this process'}: upsertMany ` +
        `${of('many').toFixed(0)}, single upserts ${of('single').toFixed(0)}; ratio ${median(ratios).toFixed(1)} ` +
        `(${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}, ${results.length} rounds)`,
    );
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
