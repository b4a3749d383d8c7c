import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShippingMethodsService } from 'nestjs-shipping';
import { type TestApp, testApp } from '../../../test/support/app.js';
import { freshProject } from '../../../test/support/client.js';
import { engine, type TestDatabase } from '../../../test/support/database.js';
import { counted, progress, report } from '../figures.js';
import { sized } from '../size.js';

const runs = sized({ ci: 200, long: 20_000 });
const codes = Array.from({ length: 20 }, (_, n) => `${n}`);
const methodsOf = (sort_order: number) =>
  codes.map((method_code, n) => ({
    carrier_code: 'ups',
    method_code,
    method_label: method_code,
    sort_order,
    // The first one shows the sort order of its default. On SQLite, all calls share one connection, and see the
    // transaction of the writer.
    use_default: n === 0 && engine.has.connections,
  }));

let apps: TestApp[];
beforeAll(async () => {
  const first = await testApp();
  apps = [first, await testApp({ database: await first.database.another() })];
});
afterAll(async () => {
  for (const app of (apps ?? []).toReversed()) await app.close();
});

it('dry runs show one moment, write nothing and announce nothing beside writers', async () => {
  const project = freshProject();
  const [writing, reading] = apps.map(({ nest }) => nest.get(ShippingMethodsService)) as [
    ShippingMethodsService,
    ShippingMethodsService,
  ];
  const [writers, { dataSource }] = apps.map(({ database }) => database) as [TestDatabase, TestDatabase];
  const writeBoth = (n: number): Promise<unknown> =>
    writers.dataSource.transaction(async (manager) => {
      await writing.upsertMany('default', methodsOf(n).slice(0, 1), { manager });
      await writing.upsertMany(project, methodsOf(n), { manager });
    });
  await writeBoth(0);
  let announced = 0;
  const subscription = reading.changes.subscribe(({ before, after }) => {
    // No import sends it.
    if (before === null || after?.sort_order === -1) announced++;
  });
  let [acknowledged, done, mixed, stale, wrong] = [0, 0, 0, 0, 0];

  const goesOn = (): boolean => done < runs;

  const writer = async (): Promise<void> => {
    for (let n = 1; goesOn(); n++) {
      await writeBoth(n);
      acknowledged = n;
    }
  };
  const dryRun = async (): Promise<void> => {
    while (goesOn()) {
      progress('Dry runs beside writers', ++done, runs);
      const least = acknowledged;
      // Half of the methods stay, and nine new ones come.
      const requests = [...methodsOf(-1).slice(0, 10), ...methodsOf(-1).slice(0, 9).map(renamed)];
      const options = { dryRun: true, removeOthers: true };
      // On SQLite, TypeORM has one transaction at a time.
      const { changes } = await (done % 4 === 0 && engine.has.connections
        ? dataSource.transaction((manager) => reading.upsertMany(project, requests, { ...options, manager }))
        : reading.upsertMany(project, requests, options));
      const seen = new Set(changes.flatMap(({ before }) => before?.sort_order ?? []));
      const count = (type: string): number => changes.filter((change) => change.type === type).length;
      if (seen.size !== 1) mixed++;
      if ([...seen].some((sort_order) => sort_order < least)) stale++;
      if (String([count('updated'), count('created'), count('removed')]) !== '10,9,10') wrong++;
    }
  };
  await Promise.all([writer(), ...Array.from({ length: 4 }, dryRun)]);
  subscription.unsubscribe();

  const { data, meta } = await reading.list(project, { per_page: 100 });
  const written = data.filter(({ sort_order }) => sort_order !== acknowledged).length;
  expect([announced, meta.total]).toEqual([0, codes.length]);
  report({
    name: 'dry runs beside writers',
    done: `${counted(runs)} dry runs beside ${counted(acknowledged)} imports: ${mixed} of several moments, ${stale} stale, ${wrong} wrong, ${written} written`,
    criterion: 'each shows one moment that is no older than the last acknowledged import, and writes nothing',
    met: mixed + stale + wrong + written === 0 && acknowledged > 0,
  });
});

function renamed<Method extends { method_code: string }>(method: Method): Method {
  return { ...method, method_code: `new ${method.method_code}` };
}
