import { loadavg } from 'node:os';
import { sizes } from './data/sizes.mjs';
import { engines } from './engines.mjs';
import { measureInstances, startInstance } from './lookups/instances.mjs';
import { measureStandby } from './lookups/standby.mjs';
import { addProjects, connectors, measureStatement } from './lookups/statement.mjs';

/**
 * Measures what the look-ups of revisions cost the database: by themselves, for warm requests to some instances, and on
 * a standby. Prints the tables of docs/scaling.md.
 */
export async function measureLookups({ engine: name, ...options }) {
  const engine = engines[name];
  const size = { ...sizes.small, writers: [] };
  const database = await engine.newDatabase('shipping_lookups');
  console.log(`${await engine.version()}, on a machine with a load of ${loadavg()[0].toFixed(1)} before.`);
  const first = await startInstance(database);
  await engine.load(database.url, size, []);
  const connect = connectors[name];
  await addProjects(await connect(database.url));

  console.log('\nLook-ups …');
  await measureStatement({ ...options, database, connect });
  console.log('\nWarm lists from instances of the sample …');
  await measureInstances({ ...options, database, first, size });
  if (name !== 'postgres') return;
  console.log('\nA standby …');
  await measureStandby({ ...options, database, connect });
}
