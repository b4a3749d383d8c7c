import pg from 'pg';
import { alternate } from './latencies.mjs';
import { firstTimed } from './check.mjs';
import { start } from './contenders.mjs';
import { large, shop } from './data/catalogue.mjs';
import { load } from './data/load.mjs';
import { methodsIn, sizes } from './data/sizes.mjs';
import { newDatabase } from './postgres.mjs';
import { onExit } from './processes.mjs';
import { listed, scenarios } from './scenarios.mjs';
import { ratioRow } from './report/rows.mjs';

const requestsARound = 200;

/** Measures how much longer a request takes when there are many more rows in the table, or in the project itself. */
export async function measureScale({ rounds, quick }) {
  const small = await side(sizes.small);
  const big = await side(quick ? sizes.quick : sizes.grown);
  const grown = `from ${thousands(small.size)} to ${thousands(big.size)} rows in the table`;
  const most = big.size.large.at(-1);
  const growth = {
    [`list of 20, cold, ${grown}`]: { goal: 1.3, sides: [small.list(), big.list()] },
    [`events of an order, ${grown}`]: { goal: 1.3, sides: [small.events(), big.events()] },
    [`page 1, cold, of a project of 100 → ${most.toLocaleString('en-US')} methods`]: {
      goal: 2,
      sides: [big.list(), big.list(() => large(most))],
    },
  };
  const rows = [];
  for (const [title, { goal, sides }] of Object.entries(growth)) {
    const ratios = [];
    for (let round = 0; round <= rounds; round++) {
      const [before, after] = await alternate(sides, requestsARound, firstTimed + round * requestsARound);
      // The first round warms up.
      if (round > 0) ratios.push(after / before);
    }
    rows.push(ratioRow({ title, ratios, atMost: goal }));
  }
  return { rows };
}

async function side(size) {
  const database = await newDatabase(`shipping_scale_${size.shops}`);
  const { port } = await start('ours', { database, path: '/' });
  await load(database.url, size, []);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onExit(() => client.end());
  // Bumps the revision of the project as a write does, so that its cached JSON is not used.
  const change = (project) =>
    client.query('UPDATE shipping_project SET revision = gen_random_uuid() WHERE project_id = $1', [project]);
  return {
    size,
    list: (project = (number) => shop((number * 37) % size.shops)) => ({
      port,
      path: (number) => listed(project(number)),
      before: (number) => change(project(number)),
    }),
    events: () => ({ port, path: (number) => scenarios.events.request(number * 37, size).path }),
  };
}

const thousands = (size) => methodsIn(size).toLocaleString('en-US');
