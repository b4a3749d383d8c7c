import { checkEqual } from './check.mjs';
import { addCheckout, start } from './contenders.mjs';
import { methodsIn, sizes } from './data/sizes.mjs';
import { engines } from './engines.mjs';
import { chosen, multiplesOf, rowOf } from './figures.mjs';
import { startGenerator } from './load/load.mjs';
import { median } from './report/rows.mjs';
import { measureRounds } from './rounds.mjs';
import { scenarios } from './scenarios.mjs';

/** How long a new process needs to compile the code of its requests. */
const compileSeconds = 2;

/** Measures ours against the others, in every scenario that a wanted figure needs. */
export async function measureRatios(options) {
  if (options.against) addCheckout(options.against);
  const engine = engines[options.engine];
  const figures = chosen(options.only, engine.figures).map((figure) => againstOf(figure, options));
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
  const ours = await start('ours', { database, path: '/' });
  await engine.load(database.url, size, writers);
  const running = { ours };
  for (const name of new Set(wanted.flatMap(namesIn))) {
    running[name] ??= await start(name, { database, origin: ours.origin });
  }
  const contendersIn = (scenario) => namesIn(scenario).map((name) => running[name]);
  for (const scenario of wanted) await checkEqual(scenario, contendersIn(scenario), size);
  console.log(`All contenders give the same answers in ${wanted.length} scenarios.`);

  const generate = startGenerator();
  for (const { name: contender, port } of Object.values(running)) {
    await generate({
      scenario: 'list20',
      contender,
      size,
      port,
      connections: 16,
      seconds: compileSeconds,
      from: 0,
    });
  }
  const measured = {};
  for (const scenario of wanted) {
    const contenders = contendersIn(scenario);
    measured[scenario] = await measureRounds({ ...options, scenario, contenders, size, generate });
    console.log(`  ${scenarios[scenario].title}`);
    for (const { name } of contenders)
      console.log(`    ${name.padEnd(8)} ${costOf(measured[scenario], name)}`);
  }
  return {
    rows: figures.map((figure) => rowOf(figure, measured[figure.scenario])),
    multiples: Object.fromEntries(wanted.map((scenario) => [scenario, multiplesOf(measured[scenario])])),
  };
}

/** The same scenario and measure, against the other checkout if there is one. */
function againstOf(figure, { against }) {
  return against ? { ...figure, rival: 'before', goal: figure.measure === 'p99' ? 1.05 : 0.95 } : figure;
}

/** Figures that depend on this machine, but show where the time goes. */
function costOf(rounds, name) {
  const middle = (key) => median(rounds.map((round) => round[name][key]));
  const microseconds = (key) => `${Math.round(middle(key) * 1e6)} µs`.padStart(8);
  const cpu = `CPU ${microseconds('serverCpu')} server ${microseconds('databaseCpu')} database`;
  return `${Math.round(middle('rate'))} requests/s, p99 ${middle('p99').toFixed(1)} ms, ${cpu}`;
}
