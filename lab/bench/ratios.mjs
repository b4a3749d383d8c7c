import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { checkEqual, firstTimed } from './check.mjs';
import { copyLibrary, start } from './contenders.mjs';
import { allProjects } from './data/catalogue.mjs';
import { load } from './data/load.mjs';
import { newDatabase } from './databases.mjs';
import { rowsOf, wantedFigures } from './figures.mjs';
import { partitioned } from './partitions.mjs';
import { cpuOf, onExit, stop } from './processes.mjs';
import { median } from './report/rows.mjs';
import { busyShops, scenarios } from './scenarios.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A new process gets requests for so long, until Node has compiled its code. */
const compileSeconds = 2;
/** Each slice follows so many seconds that are not measured, because a process that was idle is slower at first. */
const warmUpSeconds = 0.5;

/**
 * Compares the library with its rivals in every scenario to measure.
 * @param options as of `npm run bench`; `few` loads only the busy shops, for scenarios that read nothing else
 */
export async function measureRatios(options) {
  const { engine, adapter, only, partitions, rounds, seconds, few = false } = options;
  const against = options.against ?? (partitions ? root : undefined);
  const figures = wantedFigures(engine, only.split(',').filter(Boolean), against);
  const names = [...new Set(['ours', ...Object.values(figures).flatMap(Object.keys)])];
  const database = await prepared('ours', undefined, engine, names, few);
  if (partitions) await partitioned(database);
  const databaseBefore = against && (await prepared('before', against, engine, names, few));

  const generate = startGenerator();
  const measured = Object.fromEntries(Object.keys(figures).map((scenario) => [scenario, []]));
  /** The number of the next request, by scenario and contender. */
  const next = {};
  for (let round = 1; round <= Number(rounds); round++) {
    // Each round starts new processes, because two processes of one program may differ by a tenth as long as they run.
    const running = {};
    // The first contender seems slower than the last, even if both are the same program. So each round turns the order.
    const order = round % 2 === 0 ? names.toReversed() : names;
    for (const name of order)
      running[name] = await start(name, name === 'before' ? databaseBefore : database, adapter);
    const contendersIn = (scenario) =>
      order.filter((name) => name === 'ours' || name in figures[scenario]).map((name) => running[name]);
    // The check comes before the measurement, after which each contender has made a different number of changes.
    if (round === 1)
      for (const scenario of Object.keys(figures)) await checkEqual(scenario, contendersIn(scenario));
    for (const contender of Object.values(running))
      await slice(generate, contender, 'list20', compileSeconds, {});
    for (const scenario of Object.keys(figures)) {
      const contenders = contendersIn(scenario);
      measured[scenario].push(
        await measureRound(generate, contenders, scenario, Number(seconds), (next[scenario] ??= {})),
      );
    }
    for (const { child } of Object.values(running)) await stop(child);
    console.log(`  round ${round} of ${rounds}`);
  }
  for (const [scenario, results] of Object.entries(measured)) {
    console.log(`  ${scenarios[scenario].title}`);
    for (const name of Object.keys(results[0])) console.log(`    ${name.padEnd(8)} ${costOf(results, name)}`);
  }
  return {
    server: database.version,
    rows: Object.entries(figures).flatMap(([scenario, goals]) => rowsOf(scenario, goals, measured[scenario])),
  };
}

/** Creates a database with the tables of a build, and fills it. */
async function prepared(name, checkout, engine, writers, few) {
  copyLibrary(name, checkout);
  const database = await newDatabase(engine, name);
  const { child } = await start(name, database);
  await load(database, few ? allProjects([]).slice(0, busyShops) : allProjects(writers));
  await stop(child);
  return database;
}

function startGenerator() {
  const child = fork(fileURLToPath(new URL('load/generator.mjs', import.meta.url)));
  onExit(() => stop(child));
  return async (job) => {
    child.send(job);
    const [{ measured, failed }] = await once(child, 'message');
    if (failed) throw new Error(failed);
    return measured;
  };
}

/**
 * Runs the contenders in the order A B C C B A. A later one finds warmer buffers, so the order must not favour anyone.
 */
async function measureRound(generate, contenders, scenario, seconds, next) {
  const measured = {};
  for (const contender of [...contenders, ...contenders.toReversed()]) {
    await slice(generate, contender, scenario, warmUpSeconds, next);
    const half = await slice(generate, contender, scenario, seconds / 2, next);
    const other = measured[contender.name] ?? half;
    measured[contender.name] = Object.fromEntries(
      Object.keys(half).map((key) => [key, (half[key] + other[key]) / 2]),
    );
  }
  return measured;
}

async function slice(generate, { name, port, child, database }, scenario, seconds, next) {
  const { connections } = scenarios[scenario];
  const from = next[name] ?? firstTimed;
  const before = cpuOf([child.pid, ...(await database.pids())]);
  const measured = await generate({ scenario, contender: name, port, connections, seconds, from });
  const requests = measured.next - from;
  const spent = (pids) =>
    [...cpuOf(pids)].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0) / requests;
  const [serverCpu, databaseCpu] = [spent([child.pid]), spent(await database.pids())];
  next[name] = measured.next;
  return { ...measured, serverCpu, databaseCpu, cpu: serverCpu + databaseCpu };
}

/** Returns figures that depend on this machine, but show where the time goes. */
function costOf(rounds, name) {
  const middle = (key) => median(rounds.map((round) => round[name][key]));
  const microseconds = (key) => `${Math.round(middle(key) * 1e6)} µs`.padStart(8);
  const cpu = `CPU ${microseconds('serverCpu')} server ${microseconds('databaseCpu')} database`;
  return `${Math.round(middle('rate'))} requests/s, p99 ${middle('p99').toFixed(1)} ms, ${cpu}`;
}
