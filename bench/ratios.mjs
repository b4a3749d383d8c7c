import { checkEqual } from './check.mjs';
import { addCheckout, start } from './contenders.mjs';
import { methodsIn, sizes } from './data/sizes.mjs';
import { engines } from './engines.mjs';
import { chosen, multiplesOf, rowOf } from './figures.mjs';
import { startGenerator } from './load/load.mjs';
import { stop } from './processes.mjs';
import { median } from './report/rows.mjs';
import { measureRound } from './rounds.mjs';
import { scenarios } from './scenarios.mjs';

/** How long a new process needs to compile the code of its requests. */
const compileSeconds = 2;

/** Measures ours against the others, in every scenario that a wanted figure needs. */
export async function measureRatios(options) {
  if (options.against) addCheckout(options.against);
  const engine = engines[options.engine];
  const asked = chosen(options.only, engine.figures);
  const figures = options.against ? againstBefore(asked) : asked;
  const wanted = [...new Set(figures.map(({ scenario }) => scenario))];
  // For the chart, the hand-written services are measured beside the rival of a figure.
  const usual = options.quick ? ['ours', 'bare'] : ['ours', 'bare', 'naive'];
  const always = options.against ? ['ours', 'before'] : usual;
  const rivalsIn = (scenario) =>
    figures.filter((figure) => figure.scenario === scenario).map(({ rival }) => rival);
  // Each writes in its own projects.
  const writers = [...new Set([...always, 'bare', ...rivalsIn('update')])];
  const namesIn = (scenario) => [...new Set([...always, ...rivalsIn(scenario)])];

  const size = { ...sizes[options.quick ? 'quick' : engine.size], writers };
  console.log(`Loading ${methodsIn(size).toLocaleString('en-US')} methods …`);
  const database = await engine.newDatabase('shipping_bench');
  // The library makes its tables, and they are filled before anybody prepares a statement.
  const migrated = await start('ours', { database, path: '/' });
  await engine.load(database.url, size, writers);
  await stop(migrated.child);

  const generate = startGenerator();
  const names = new Set(wanted.flatMap(namesIn));
  const measured = Object.fromEntries(wanted.map((scenario) => [scenario, []]));
  const next = Object.fromEntries(wanted.map((scenario) => [scenario, new Map()]));
  for (let round = 1; round <= options.rounds; round++) {
    const running = await startAll(names, { database, size, generate });
    for (const scenario of wanted) {
      const contenders = namesIn(scenario).map((name) => running[name]);
      if (round === 1) await checkEqual(scenario, contenders, size);
      const run = { ...options, scenario, contenders, size, generate, next: next[scenario] };
      measured[scenario].push(await measureRound(run));
    }
    for (const { child } of Object.values(running)) await stop(child);
    console.log(`  round ${round} of ${options.rounds}`);
  }
  for (const scenario of wanted) {
    console.log(`  ${scenarios[scenario].title}`);
    for (const name of namesIn(scenario))
      console.log(`    ${name.padEnd(8)} ${costOf(measured[scenario], name)}`);
  }
  return {
    rows: figures.map((figure) => rowOf(figure, measured[figure.scenario])),
    multiples: Object.fromEntries(wanted.map((scenario) => [scenario, multiplesOf(measured[scenario])])),
  };
}

/** Starts the contenders and lets each of them compile its code. */
async function startAll(names, { database, size, generate }) {
  const running = {};
  for (const name of names) running[name] = await start(name, { database, origin: running.ours?.origin });
  for (const { name: contender, port } of Object.values(running)) {
    const job = {
      scenario: 'list20',
      contender,
      size,
      port,
      connections: 16,
      seconds: compileSeconds,
      from: 0,
    };
    await generate(job);
  }
  return running;
}

/** The same scenarios and measures, each once, against the other checkout. */
function againstBefore(figures) {
  const own = figures.filter(({ rival }) => rival === 'bare');
  return own.map((figure) => ({ ...figure, rival: 'before', goal: figure.measure === 'p99' ? 1.05 : 0.95 }));
}

/** Figures that depend on this machine, but show where the time goes. */
function costOf(rounds, name) {
  const middle = (key) => median(rounds.map((round) => round[name][key]));
  const microseconds = (key) => `${Math.round(middle(key) * 1e6)} µs`.padStart(8);
  const cpu = `CPU ${microseconds('serverCpu')} server ${microseconds('databaseCpu')} database`;
  return `${Math.round(middle('rate'))} requests/s, p99 ${middle('p99').toFixed(1)} ms, ${cpu}`;
}
