import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { copyLibrary, start } from './contenders.mjs';
import { load } from './data/load.mjs';
import { newDatabase } from './databases.mjs';
import { stop } from './processes.mjs';
import { amountRow } from './report/rows.mjs';

const projects = Array.from({ length: 500 }, (_, number) => ({
  name: `shop-${number}`,
  number,
  methods: 50,
}));

/** Measures the memory of cached methods, and the bytes that the cache counts for them. */
export async function measureMemory() {
  const folder = copyLibrary('ours');
  const database = await newDatabase('postgres', 'memory');
  const { child } = await start('ours', database);
  await load(database, projects);
  await stop(child);
  const rows = [];
  for (const [kind, words, goal] of [
    ['rows', 'rows only'],
    ['searched', 'rows that were searched'],
    ['list', 'one list of 20 rendered', 900],
    ['tree', 'the tree rendered'],
  ]) {
    const { bytes, counted } = await measure(kind, folder, database);
    rows.push(amountRow(words, bytes, 'B a method', goal));
    rows.push(amountRow(`${words}, as the cache counts`, counted, 'B a method'));
  }
  return { rows, server: database.version };
}

/** Starts a new process each time. Otherwise, what was rendered before would be measured again. */
async function measure(kind, folder, database) {
  const program = fileURLToPath(new URL('memory-child.mjs', import.meta.url));
  const names = projects.map(({ name }) => name);
  const child = fork(program, [kind, folder, database.url, ...names], { execArgv: ['--expose-gc'] });
  const [measured] = await once(child, 'message');
  await stop(child);
  return measured;
}
