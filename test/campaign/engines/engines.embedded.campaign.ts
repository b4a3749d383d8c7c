import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineDatabase, mariadb, pglite, postgres, sqlite } from '../../engines/databases.js';
import { type EngineHost, hostOn } from '../../engines/host.js';
import { counted, progress, report } from '../figures.js';
import { seed, sized } from '../size.js';
import { type Call, calls } from './calls.js';
import { Shop } from './shop.js';

const wanted = sized({ ci: 2_500, long: 100_000 });
const runs = Math.ceil(wanted / 60);
const defaultsProjectId = 'defaults';

const others = [mariadb, sqlite, postgres];
for (const { missing, name } of others)
  if (missing !== undefined) console.log(`Skipped: the comparison with ${name} (${missing}).`);
const engines = [pglite, ...others.filter(({ missing }) => missing === undefined)];

describe('the same calls on all engines', () => {
  const databases: EngineDatabase[] = [];
  const hosts: EngineHost[] = [];
  beforeAll(async () => {
    for (const engine of engines) {
      const database = await engine.create();
      databases.push(database);
      // A small number, so that projects are sometimes full.
      hosts.push(await hostOn(database, { defaultsProjectId, maxMethods: 6 }));
    }
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const database of databases) await database.drop();
  });

  it.skipIf(engines.length < 2)('get the same answers', async () => {
    let run = 0;
    let done = 0;
    const agree = async (script: readonly Call[]): Promise<void> => {
      progress('runs', run++, runs);
      for (const { methods } of hosts)
        for (const { id } of (await methods.list(defaultsProjectId)).data)
          await methods.remove(defaultsProjectId, id);
      const projects = [`a${run}`, `b${run}`, defaultsProjectId];
      const shops = hosts.map((host) => new Shop(host, projects));
      const ends = shops.map((shop) => shop.hearChanges());
      try {
        for (const call of script) {
          done += call.count;
          const [first, ...rest] = await Promise.all(
            shops.map(async (shop) => ({ answer: await call.run(shop), told: shop.heard() })),
          );
          for (const [index, other] of rest.entries())
            expectSame(engines[index + 1]?.name ?? '', call, other, first);
        }
      } finally {
        for (const end of ends) end();
      }
    };

    await fc.assert(fc.asyncProperty(calls, agree), { seed, numRuns: runs });

    for (const { name } of engines.slice(1))
      report({
        name: 'the same calls on two engines',
        database: `PGlite and ${name}`,
        done: `${counted(run)} runs, ${counted(done)} calls, 0 different answers`,
        criterion: `${counted(wanted)} calls, 0 different answers`,
        met: done >= wanted,
      });
  });
});

/** The order of the fields counts too. */
function expectSame(engine: string, call: Call, actual: unknown, expected: unknown): void {
  const title = `${engine}: ${String(call)}`;
  expect({ [title]: actual }).toEqual({ [title]: expected });
  expect({ [title]: JSON.stringify(actual) }).toEqual({ [title]: JSON.stringify(expected) });
}
