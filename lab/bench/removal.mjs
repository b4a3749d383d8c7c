// Measures how 5,000 orders and a tenant of 400,000 events, among 2,000,000, leave under the advised time limits, beside
// 16 writers:
// `node lab/bench/removal.mjs [postgres] [mariadb]`, after `npm run build`. With `--redact`, all 400,000 events are
// redacted, and nothing else is measured. The figures are in docs/dba.md.
import { newDatabase } from './databases.mjs';
import { hostOn, require } from './host.mjs';
import { cleanUp } from './processes.mjs';

const { NestFactory } = require('@nestjs/core');
const { OrderEventsService } = require('nestjs-shipping');
const mysql = require('mysql2');

const total = 2_000_000;
/** Every fifth order is one of this tenant. Each order has 8 events, between events of 7 other orders. */
const tenant = 'tenant-0';
const writersAtOnce = 16;
const redactsAll = process.argv.includes('--redact');
/** How many orders are redacted and removed, by one call for each. */
const ordersAtOnce = redactsAll ? 50_000 : 5_000;

const engines = {
  postgres: {
    options: {
      extra: {
        max: 24,
        statement_timeout: 3500,
        lock_timeout: 3000,
        idle_in_transaction_session_timeout: 4000,
      },
    },
    fill: (count) => `
      INSERT INTO shipping_order_event (project_id, order_id, occurred_at, id, type, message, data, actor, dedupe_key, recorded_at)
      SELECT 'tenant-' || o % 5, md5(o::text), now() - interval '1 year' + n * interval '10 seconds', gen_random_uuid(),
        'order.paid', 'The customer has called.', '{"amount":"19.90","currency":"EUR"}', '{"type":"user","id":"u-17","label":"Ada"}',
        CASE WHEN n % 8 > 0 THEN 'key-' || n END, now()
      FROM (SELECT n, n / 64 * 8 + n % 8 AS o FROM generate_series(0, ${count} - 1) AS n) AS numbers`,
  },
  mariadb: {
    options: {
      charset: 'utf8mb4',
      poolSize: 24,
      driver: {
        ...mysql,
        createPool: (options) =>
          mysql
            .createPool(options)
            .on('connection', (connection) =>
              connection.query('SET SESSION max_statement_time = 3.5, innodb_lock_wait_timeout = 3'),
            ),
      },
    },
    fill: (count) => `
      INSERT INTO shipping_order_event (project_id, order_id, occurred_at, id, type, message, data, actor, dedupe_key, recorded_at)
      SELECT CONCAT('tenant-', o % 5), MD5(o), UTC_TIMESTAMP(3) - INTERVAL 1 YEAR + INTERVAL n * 10 SECOND, UUID(),
        'order.paid', 'The customer has called.', '{"amount":"19.90","currency":"EUR"}', '{"type":"user","id":"u-17","label":"Ada"}',
        IF(n % 8 > 0, CONCAT('key-', n), NULL), UTC_TIMESTAMP(3)
      FROM (SELECT seq AS n, seq DIV 64 * 8 + seq % 8 AS o FROM seq_0_to_${count - 1}) AS numbers`,
  },
};

async function measure(engine) {
  const { options, fill } = engines[engine];
  const database = await newDatabase(engine, 'removal');
  const host = hostOn({ type: engine, url: database.url, ...options });
  const context = await NestFactory.createApplicationContext(host, { logger: ['error'] });
  const events = context.get(OrderEventsService, { strict: false });
  const connection = await database.connect();
  await connection.query(fill(total));
  await connection.query(database.analyze);
  const ordersOf = async (projectId) => {
    const rows = await connection.query(
      `SELECT DISTINCT order_id FROM shipping_order_event WHERE project_id = '${projectId}' LIMIT ${ordersAtOnce}`,
    );
    return rows.map(({ order_id }) => ({ projectId, orderId: order_id }));
  };
  const [orders, others] = [await ordersOf(tenant), await ordersOf('tenant-1')];
  const redaction = {
    [`redactHistory of ${orders.length} orders`]: () =>
      forEach(orders, (order) => events.redactHistory(order)),
  };
  const works = {
    'nothing, for 10 s': () => new Promise((done) => setTimeout(done, 10_000)),
    ...redaction,
    [`removeHistory of ${others.length} orders`]: () =>
      forEach(others, (order) => events.removeHistory(order)),
    removeHistories: () => events.removeHistories(tenant),
  };

  const figures = [];
  for (const [name, work] of Object.entries(redactsAll ? redaction : works))
    figures.push({ engine: database.version, ...(await besideWriters(events, name, work)) });
  await connection.end();
  await context.close();
  return figures;
}

/** Makes the calls of a job, four at a time. */
async function forEach(orders, call) {
  const waiting = [...orders];
  let changed = 0;
  const caller = async () => {
    for (let order = waiting.pop(); order; order = waiting.pop()) {
      const ofOrder = await call(order);
      changed += ofOrder;
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  return changed;
}

/** Records events of other projects while the work runs. */
async function besideWriters(events, name, work) {
  const heapBefore = process.memoryUsage().heapUsed;
  let [recorded, failed, heap, number] = [0, 0, 0, 0];
  const state = { isDone: false };
  const waits = [];
  const writer = async () => {
    while (!state.isDone) {
      const since = performance.now();
      const order = { projectId: `tenant-${1 + (number++ % 4)}`, orderId: `new-${number % 5000}` };
      await events.record(order, { type: 'note.added', dedupe_key: `key-${number}` }).then(
        () => recorded++,
        () => failed++,
      );
      waits.push(performance.now() - since);
      heap = Math.max(heap, process.memoryUsage().heapUsed);
    }
  };
  const writers = Array.from({ length: writersAtOnce }, writer);
  const since = performance.now();
  const changed = await work();
  const seconds = (performance.now() - since) / 1000;
  state.isDone = true;
  await Promise.all(writers);
  const sorted = waits.toSorted((a, b) => a - b);
  return {
    name,
    changed,
    seconds: Number(seconds.toPrecision(3)),
    'records/s': Math.round(recorded / seconds),
    'failed records': failed,
    'p99 ms': Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
    'slowest ms': Math.round(sorted.at(-1) ?? 0),
    'heap MB': Math.round((heap - heapBefore) / 2 ** 20),
  };
}

const named = process.argv.slice(2).filter((each) => each !== '--redact');
const results = [];
for (const engine of named.length > 0 ? named : Object.keys(engines))
  results.push(...(await measure(engine)));
console.table(results);
await cleanUp();
