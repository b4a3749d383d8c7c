import { newStandby } from '../postgres.mjs';
import { median, printRows, short } from '../report/rows.mjs';
import { lookUps, named } from './statement.mjs';

const batch = 16;
const writesInRound = 300;

/** What a commit waits for: nothing there, the write to the disk there, or that queries there see the change. */
const levels = ['local', 'on', 'remote_apply'];

/** Measures a standby that reads could use: what a look-up costs there, what a write waits for, and what is stale. */
export async function measureStandby({ database, connect, rounds, seconds }) {
  const standby = await newStandby(database);
  if (!standby) {
    console.log('  None: the server of BENCH_DATABASE_URL is not ours.');
    return;
  }
  const here = await Promise.all([connect(database.url), connect(database.url)]);
  const there = await Promise.all([connect(standby.url), connect(standby.url)]);
  const ratios = [];
  const changes = Object.fromEntries(levels.map((level) => [level, []]));
  for (let round = 0; round <= rounds; round++) {
    const onPrimary = await lookUps(here, database.pid, batch, seconds);
    const onStandby = await lookUps(there, standby.pid, batch, seconds);
    // The first round warms up.
    if (round > 0) ratios.push(onStandby.cpu / onPrimary.cpu);
    for (const level of round % 2 === 0 ? levels : levels.toReversed()) {
      const changed = await change(here[0], there[0], level);
      if (round > 0) changes[level].push(changed);
    }
  }
  const spread = `${short(Math.min(...ratios))}–${short(Math.max(...ratios))}`;
  console.log(`  A look-up of ${batch} costs it ${short(median(ratios))} (${spread}) of the primary's CPU.`);
  printRows(
    levels.map((level) => rowOf(level, changes[level])),
    { level: 'synchronous_commit', ms: 'a write takes', stale: 'stale on the standby right after it' },
  );
}

/** Bumps a revision on the primary and looks it up on the standby at once, again and again. */
async function change(primary, standby, level) {
  await primary.query(`SET synchronous_commit = ${level}`);
  const durations = [];
  let stale = 0;
  for (let time = 0; time < writesInRound; time++) {
    const begun = performance.now();
    const [{ revision }] = await primary.query(
      'UPDATE shipping_project SET revision = gen_random_uuid() WHERE project_id = $1 RETURNING revision',
      [named(0)],
    );
    durations.push(performance.now() - begun);
    const [seen] = await standby.lookUp([named(0)]);
    if (!seen.revision.includes(revision)) stale++;
  }
  return { ms: median(durations), stale };
}

function rowOf(level, rounds) {
  const stale = rounds.reduce((total, round) => total + round.stale, 0);
  return {
    level,
    ms: `${median(rounds.map(({ ms }) => ms)).toFixed(2)} ms`,
    stale: `${stale} of ${rounds.length * writesInRound}`,
  };
}
