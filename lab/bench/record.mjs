// Measures the time of `record()` and `list()` of order events, in this process and on PostgreSQL. The rival of
// `record()` is TypeORM's `insert` of the same row.
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { newDatabase } from './databases.mjs';
import { ratioRow } from './report/rows.mjs';

// In this folder, npm has installed the packages of the rivals. So these packages come from the workspace.
const require = createRequire(new URL('../../package.json', import.meta.url));
const { NestFactory } = require('@nestjs/core');
const { TypeOrmModule } = require('@nestjs/typeorm');
const { DataSource } = require('typeorm');
const { OrderEvent, OrderEventsService, shippingEntities, ShippingModule } = require('nestjs-shipping');
const { shippingMigrations } = require('nestjs-shipping/migrations');

const eventsPerRound = 1000;
const pagesPerRound = 200;

/**
 * @param rounds how many rounds are measured; one more round comes first to warm up, and every round reverses the order
 */
export async function measureRecords({ rounds }) {
  const database = await newDatabase('postgres', 'record');
  const context = await NestFactory.createApplicationContext(host(database.url), { logger: ['error'] });
  const events = context.get(OrderEventsService, { strict: false });
  const dataSource = context.get(DataSource);
  const insert = (manager, event) => manager.insert(OrderEvent, rowOf(event));
  const inTransaction = (work) => () => dataSource.transaction((manager) => work(manager, newEvent()));
  const keyed = () => newEvent({ dedupe_key: 'placed' });
  const pairs = {
    '`record()`': [() => events.record(...newEvent()), () => insert(dataSource.manager, newEvent())],
    '`record()` with a key': [() => events.record(...keyed()), () => insert(dataSource.manager, keyed())],
    "`record()` in a caller's transaction": [
      inTransaction((manager, event) => events.record(...event, { manager })),
      inTransaction(insert),
    ],
  };
  const rows = [];
  for (const connections of [4, 16, 64])
    for (const [title, [ours, rival]] of Object.entries(pairs))
      rows.push(
        ratioRow({
          title: `${title}, ${connections} at once`,
          rival: '`insert`',
          ratios: await compared(rounds, ours, rival, connections, eventsPerRound),
          ...(connections === 16 && title === '`record()`' && { atLeast: 0.9 }),
        }),
      );
  rows.push(...(await pageRows(rounds, events, dataSource)));
  await context.close();
  return { server: database.version, rows };
}

/** Compares a page in the middle of a history of 100,000 events with a page in the middle of a history of 100. */
async function pageRows(rounds, events, dataSource) {
  const cursors = {};
  for (const size of [100, 100_000]) {
    await dataSource.query(
      `INSERT INTO shipping_order_event (project_id, order_id, occurred_at, id, type, data, recorded_at)
       SELECT 'pages', 'of-' || $1::text, now() - n * interval '1 second', gen_random_uuid(), 'note.added', '{}', now()
       FROM generate_series(1, $1::int) n`,
      [size],
    );
    const limit = Math.min(200, size / 2);
    for (let read = 0; read < size / 2; read += limit)
      cursors[size] = (
        await events.list({ projectId: 'pages', orderId: `of-${size}` }, { limit, cursor: cursors[size] })
      ).next;
  }
  await dataSource.query('ANALYZE shipping_order_event');
  const page = (size) => () =>
    events.list({ projectId: 'pages', orderId: `of-${size}` }, { limit: 50, cursor: cursors[size] });
  const ratios = await compared(rounds, page(100_000), page(100), 4, pagesPerRound);
  return [ratioRow({ title: 'a page of 50 in a history of 100,000', rival: 'a history of 100', ratios })];
}

/** @returns for each round, how many times as fast as the rival we are; more than 1 is faster */
async function compared(rounds, ours, rival, connections, count) {
  const ratios = [];
  for (let round = 0; round <= Number(rounds); round++) {
    const order = round % 2 === 0 ? [ours, rival] : [rival, ours];
    const times = new Map();
    for (const call of order) times.set(call, await timed(call, connections, count));
    if (round > 0) ratios.push(times.get(rival) / times.get(ours));
  }
  return ratios;
}

async function timed(call, connections, count) {
  let remaining = count;
  const caller = async () => {
    while (remaining-- > 0) await call();
  };
  const since = performance.now();
  await Promise.all(Array.from({ length: connections }, caller));
  return performance.now() - since;
}

/** @returns the arguments of `record()` */
function newEvent(more = {}) {
  return [
    { projectId: 'acme', orderId: randomUUID() },
    { type: 'order.placed', data: { total: '84.90' }, ...more },
  ];
}

function rowOf([{ projectId, orderId }, { type, data, dedupe_key: dedupeKey = null }]) {
  const now = new Date();
  return {
    projectId,
    orderId,
    type,
    data,
    dedupeKey,
    id: randomUUID(),
    message: null,
    actor: null,
    occurredAt: now,
    recordedAt: now,
  };
}

function host(url) {
  const entities = shippingEntities;
  const database = { type: 'postgres', url, entities, migrations: shippingMigrations, migrationsRun: true };
  return {
    module: class {},
    imports: [TypeOrmModule.forRoot(database), ShippingModule.forRoot({ http: false })],
  };
}
