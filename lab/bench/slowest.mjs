// Measures how long the slowest legal requests block all others in the process, on PostgreSQL and over HTTP.
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { newDatabase } from './databases.mjs';
import { hostOn, require } from './host.mjs';
import { onExit } from './processes.mjs';
import { amountRow, median } from './report/rows.mjs';

const { NestFactory } = require('@nestjs/core');
const { FastifyAdapter } = require('@nestjs/platform-fastify');
const { DataSource } = require('typeorm');
const { ShippingMethodsService } = require('nestjs-shipping');

const rounds = 5;
const goals = { warm: 100, cold: 300 };

const code = (index) => String(index).padStart(4, '0');
const ofKeys = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0]));

/** Each project has methods that are slow in one way. */
const projects = {
  'non-ASCII labels of 255': { count: 1_000, label: () => 'ΐ'.repeat(255) },
  'labels of 255 that differ at the end': { count: 1_000, label: (index) => 'a'.repeat(251) + code(index) },
  '16 KiB meta of 1,700 keys': { count: 1_000, label: () => 'Ground', meta: ofKeys(1_700) },
  'non-ASCII labels of 255, 10,000 methods': { count: 10_000, label: () => 'ΐ'.repeat(255) },
};

/** The queries of lists. The number makes each query different, so that its response is not in the cache. */
const queries = {
  'a list of 100': (number) => `per_page=100&page=${number}`,
  '20 `contains`': (number) =>
    or(20, (index) => ['method_label', 'contains', `${'ΐ'.repeat(12)}${number}${index}`]),
  '20 `contains` of a repeated text': (number) =>
    or(20, (index) => ['method_label', 'contains', `${'a'.repeat(60)}${number}${index}`]),
  '20 `between`': (number) =>
    or(20, () => ['method_label', 'between', ['a'.repeat(60), `${'a'.repeat(60)}${number}`]]),
  '20 `nin` of 20': (number) =>
    and(20, (index) => [
      'method_code',
      'nin',
      Array.from({ length: 20 }, (_, value) => code(value * index + number).slice(1)),
    ]),
  '20 `lt` of times': (number) =>
    and(20, (index) => ['created_at', 'lt', `2999-01-01T00:00:00.${number}${index}Z`]),
  'a `q` of 50 words': (number) => `q=${`${number} ${'a '.repeat(49)}`.trim().replaceAll(' ', '+')}`,
  'a `q` of 100 characters': (number) => `q=${encodeURIComponent(`${'ΐ'.repeat(96)}${number}`)}`,
};
const or = (count, condition) => raw([{ or: conditions(count, condition) }]);
const and = (count, condition) => raw(conditions(count, condition));
const conditions = (count, condition) =>
  Array.from({ length: count }, (_, index) => condition(index)).map(([field, op, value]) => ({
    field,
    op,
    value,
  }));
const raw = (value) => `raw_filters=${encodeURIComponent(JSON.stringify(value))}`;

/** Measures the longest time for which each request blocks the event loop of the process that serves it. */
export async function measureSlowest() {
  const database = await newDatabase('postgres', 'slowest');
  const host = hostOn({ type: 'postgres', url: database.url }, { maxMethods: 10_000 });
  const app = await NestFactory.create(host, new FastifyAdapter(), { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const client = new Worker(new URL('slowest-client.mjs', import.meta.url));
  onExit(() => Promise.all([client.terminate(), app.close()]));
  const methods = app.get(ShippingMethodsService, { strict: false });
  const source = app.get(DataSource);
  const origin = await app.getUrl();

  let number = 0;
  const blocked = async (path) => {
    const histogram = monitorEventLoopDelay({ resolution: 1 });
    await delay(20);
    histogram.enable();
    client.postMessage(origin + path);
    const [status] = await once(client, 'message');
    await delay(5);
    histogram.disable();
    if (status !== 200) throw new Error(`${status} for ${path.slice(0, 500)}`);
    return histogram.max / 1e6;
  };
  const rows = [];
  for (const [index, [words, project]] of Object.entries(projects).entries()) {
    const id = `slow-${index}`;
    await methods.upsertMany(id, requestsOf(project));
    const lists = `/api/projects/${id}/sales/orders/shipments/methods`;
    const paths = { ...queries, 'the tree': undefined };
    for (const [name, query] of Object.entries(paths)) {
      const path = () =>
        query ? `${lists}?${query(((number += 1) % 10) + 1)}&_=${number}` : `${lists}/tree`;
      const times = { cold: [], warm: [] };
      for (let round = 0; round <= rounds; round++) {
        // The first request after a write reads the project, and the second one has it in the cache.
        await source.query('UPDATE shipping_project SET revision = gen_random_uuid() WHERE project_id = $1', [
          id,
        ]);
        for (const kind of Object.keys(times)) times[kind].push(await blocked(path()));
      }
      for (const kind of Object.keys(times)) {
        // The first round compiles the code.
        const goal = project.count > 1_000 ? undefined : goals[kind];
        rows.push(amountRow(`${words}: ${name}, ${kind}`, median(times[kind].slice(1)), 'ms', goal));
      }
    }
  }
  return { rows, server: database.version };
}

function requestsOf({ count, label, meta = {} }) {
  return Array.from({ length: count }, (_, index) => ({
    carrier_code: 'carrier',
    method_code: code(index),
    carrier_label: label(index),
    method_label: label(index),
    meta,
  }));
}
