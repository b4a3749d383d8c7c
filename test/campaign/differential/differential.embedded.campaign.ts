import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineDatabase, mariadb, postgres } from '../../engines/databases.js';
import { type EngineHost } from '../../engines/host.js';
import { calls } from '../engines/calls.js';
import { Shop } from '../engines/shop.js';
import { counted, progress, report } from '../figures.js';
import { seed, sized } from '../size.js';
import { type Build, buildAt, hostOfBuild } from './builds.js';

// Sends the same calls to two builds of the package, and compares their answers:
// `DIFFERENTIAL_BUILDS=/old/libs/shipping/dist/esm,/new/libs/shipping/dist/esm npm run test:campaign -- differential`.
// DIFFERENTIAL_ENGINE=mariadb takes MariaDB rather than PostgreSQL, DIFFERENTIAL_CALLS=1000 another number of calls.

const paths = (process.env['DIFFERENTIAL_BUILDS'] ?? '').split(',').filter((path) => path !== '');
const engine = process.env['DIFFERENTIAL_ENGINE'] === 'mariadb' ? mariadb : postgres;
const wanted = Number(process.env['DIFFERENTIAL_CALLS'] ?? sized({ ci: 20_000, long: 100_000 }));
const defaultsProjectId = 'defaults';

/** Each is printed once, with the first call that showed it. */
interface Difference {
  count: number;
  call: string;
  answers: unknown[];
}

describe.skipIf(paths.length !== 2 || engine.missing !== undefined)('two builds of the package', () => {
  const builds: Build[] = [];
  const databases: EngineDatabase[] = [];
  const hosts: EngineHost[] = [];
  beforeAll(async () => {
    for (const [index, path] of paths.entries()) {
      const build = await buildAt(index === 0 ? 'old' : 'new', path);
      builds.push(build);
      const database = await engine.create();
      databases.push(database);
      // A small number, so that projects are sometimes full.
      hosts.push(await hostOfBuild(build, database, { defaultsProjectId, maxMethods: 6 }));
    }
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const database of databases) await database.drop();
    for (const build of builds) await build.remove();
  });

  it('give the same answers to the same calls', async () => {
    const differences = new Map<string, Difference>();
    let run = 0;
    let done = 0;
    // Scripts differ in length: as many as it takes.
    for (const script of fc.sample(calls, { seed, numRuns: Math.ceil(wanted / 20) })) {
      if (done >= wanted) break;
      progress('runs', run, Math.ceil(wanted / 70));
      const projects = [`a${++run}`, `b${run}`, defaultsProjectId];
      for (const { methods } of hosts)
        for (const { id } of (await methods.list(defaultsProjectId)).data)
          await methods.remove(defaultsProjectId, id);
      const shops = hosts.map((host) => new Shop(host, projects));
      const ends = shops.map((shop) => shop.hearChanges());
      for (const call of script) {
        done += call.count;
        const answers = await Promise.all(
          shops.map(async (shop) => ({
            answer: await call.run(shop).catch((error: unknown) => ({ thrown: String(error) })),
            told: shop.heard(),
          })),
        );
        const [one, other] = answers.map(withoutDetails);
        if (isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other)) continue;
        const kind = firstDifference(one, other);
        const known = differences.get(kind) ?? { count: 0, call: String(call), answers };
        differences.set(kind, { ...known, count: known.count + 1 });
      }
      for (const end of ends) end();
    }

    for (const [kind, { count, call, answers }] of differences)
      console.log(
        `${count} × ${kind}\n  ${call}\n  ${answers.map((each) => JSON.stringify(each)).join('\n  ')}`,
      );
    const different = [...differences.values()].reduce((sum, { count }) => sum + count, 0);
    expect([...differences.keys()]).toEqual([]);
    report({
      name: 'the same calls on two builds',
      database: engine.name,
      done: `${counted(run)} runs, ${counted(done)} calls, ${different} different answers`,
      criterion: `${counted(wanted)} calls, 0 different answers`,
      met: done >= wanted,
    });
  });
});

/** The sentences of refusals may be improved. */
function withoutDetails(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) => (name === 'detail' ? undefined : value)),
  );
}

/** Where two answers differ first, without indexes, and how. */
function firstDifference(one: unknown, other: unknown, path = ''): string {
  const isPair = [one, other].every((each) => typeof each === 'object' && each !== null);
  if (!isPair) return `${path}: ${JSON.stringify(one)} or ${JSON.stringify(other)}`;
  const [a, b] = [Object(one) as Record<string, unknown>, Object(other) as Record<string, unknown>];
  const names = [Object.keys(a), Object.keys(b)];
  if (!isDeepStrictEqual(...(names as [string[], string[]])))
    return `${path}: members ${names.map((each) => each.join()).join(' or ')}`;
  const name = Object.keys(a).find((each) => !isDeepStrictEqual(a[each], b[each])) ?? '';
  return firstDifference(a[name], b[name], `${path}/${/^\d+$/.test(name) ? '*' : name}`);
}
