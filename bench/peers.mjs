import { contenders, requestOf, start } from './contenders.mjs';
import { methodsPerProject } from './data/catalogue.mjs';
import { load } from './data/load.mjs';
import { sizes } from './data/sizes.mjs';
import { installIn } from './install.mjs';
import { startGenerator } from './load/load.mjs';
import { newDatabase } from './postgres.mjs';
import { until } from './processes.mjs';
import { median, ratioRow } from './report/rows.mjs';
import { measureRound } from './rounds.mjs';
import { scenarios } from './scenarios.mjs';

const scenario = 'list20few';
const goals = { vendure: 80, medusa: 200 };

/** Compares our list with those of commerce platforms. Each has as many methods, its own API and its own database. */
export async function measurePeers(options) {
  const database = await newDatabase('shipping_peers');
  const ours = await start('ours', { database, path: '/' });
  await load(database.url, sizes.small, []);
  const peers = [];
  for (const name of Object.keys(goals)) {
    installIn(contenders[name].cwd);
    const peer = await start(name, { database: await newDatabase(name), path: '/health', maxSeconds: 300 });
    await until(() => hasAll(peer), peer.child, name, 120);
    peers.push(peer);
  }
  const run = {
    ...options,
    scenario,
    contenders: [ours, ...peers],
    size: sizes.small,
    generate: startGenerator(),
    next: new Map(),
  };
  const measured = [];
  for (let round = 0; round < options.rounds; round++) measured.push(await measureRound(run));
  const rows = peers.map(({ name }) =>
    ratioRow({
      title: `${scenarios[scenario].title}, against ${contenders[name].title}`,
      ratios: measured.map((round) => round.ours.rate / round[name].rate),
      cpu: median(measured.map((round) => round[name].cpu / round.ours.cpu)),
      atLeast: goals[name],
    }),
  );
  return { rows };
}

/** Checks that it has as many methods as our shops, and sends twenty of them. */
async function hasAll({ name, origin }) {
  const { path, ...request } = requestOf(name, scenario, 0, sizes.small);
  const headers = { 'content-type': 'application/json', ...request.headers };
  const answer = await (await fetch(origin + path, { ...request, headers })).json();
  const { total, sent } = contenders[name].read(answer);
  if (total !== methodsPerProject || sent !== 20)
    throw new Error(`It has ${total} methods, and sends ${sent}.`);
}
