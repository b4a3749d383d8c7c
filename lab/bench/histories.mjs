// Measures what a very long history costs on each engine: `node lab/bench/histories.mjs [postgres] [mariadb] [mysql]`,
// after `npm run build`. The figures are in docs/guide/events.md.
import { randomUUID } from 'node:crypto';
import { newDatabase } from './databases.mjs';
import { hostOn, require } from './host.mjs';
import { cleanUp } from './processes.mjs';

const { NestFactory } = require('@nestjs/core');
const { OrderEventsService } = require('nestjs-shipping');

const projectId = 'acme';
const columns = ['project_id', 'order_id', 'occurred_at', 'id', 'type', 'data', 'recorded_at'];

async function measure(engine) {
  const database = await newDatabase(engine, 'histories');
  const options = { type: engine, url: database.url, ...(engine !== 'postgres' && { charset: 'utf8mb4' }) };
  const context = await NestFactory.createApplicationContext(hostOn(options), { logger: ['error'] });
  const events = context.get(OrderEventsService, { strict: false });
  const connection = await database.connect();

  const figures = { engine: database.version };
  for (const size of [20, 1_000, 100_000]) await addHistory(connection, `of-${size}`, size);
  await connection.query(database.analyze);
  // No page is full, so each one reads the whole history.
  for (const size of [20, 1_000, 100_000])
    figures[`page, ${size}`] = await median(20, () =>
      events.list({ projectId, orderId: `of-${size}` }, { types: ['order.rare'] }),
    );
  figures['removeHistory, 20000'] = await median(
    3,
    () => events.removeHistory({ projectId, orderId: 'removed' }),
    () => addHistory(connection, 'removed', 20_000),
  );
  figures['1000 × record, 16 at once'] = await median(5, () => recordAll(events, 1_000));
  await connection.end();
  await context.close();
  return figures;
}

/** The type of one event is rare. */
async function addHistory(connection, orderId, size) {
  const times = Array.from({ length: size }, (_, n) =>
    new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  );
  const rows = times.map((time, n) => {
    const at = time.replace('T', ' ').replace('Z', '');
    return {
      project_id: projectId,
      order_id: orderId,
      occurred_at: at,
      id: randomUUID(),
      type: n === 0 ? 'order.rare' : 'note.added',
      data: { note: 'The customer has called about the delivery.' },
      recorded_at: at,
    };
  });
  for (let from = 0; from < size; from += 5_000)
    await connection.insert('shipping_order_event', columns, rows.slice(from, from + 5_000));
}

async function recordAll(events, count) {
  let remaining = count;
  const caller = async () => {
    while (remaining-- > 0) await events.record({ projectId, orderId: randomUUID() }, { type: 'note.added' });
  };
  await Promise.all(Array.from({ length: 16 }, caller));
}

/** @returns milliseconds */
async function median(rounds, work, prepare = async () => undefined) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    await prepare();
    const since = performance.now();
    await work();
    times.push(performance.now() - since);
  }
  return Number(times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)].toPrecision(2));
}

const named = process.argv.slice(2);
const results = [];
for (const engine of named.length > 0 ? named : ['postgres', 'mariadb', 'mysql'])
  results.push(await measure(engine));
console.log('Milliseconds:');
console.table(results);
await cleanUp();
