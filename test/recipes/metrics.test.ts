import { inspect } from 'node:util';
import { type CallHandler, type ExecutionContext, Logger, type NestInterceptor } from '@nestjs/common';
import { type TestingModule } from '@nestjs/testing';
import {
  DatabaseUnavailableError,
  ProblemDetailsFilter,
  ShippingHttpError,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { type Pool } from 'pg';
import { Counter, Gauge, Registry } from 'prom-client';
import { catchError, type Observable } from 'rxjs';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { Client } from '../support/client.js';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';
import { RequestLogger, requests } from './request-logger.js';

// docs/recipes/metrics.md shows this code.

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };

const failures = new Counter({
  name: 'shipping_failures_total',
  help: '503 responses',
  labelNames: ['code'],
});
// increase() does not see the first value of a new series.
failures.inc({ code: 'outcome_unknown' }, 0);

function exportFigures(methods: ShippingMethodsService, pool: Pool, register: Registry): void {
  const gauges = {
    shipping_cache_bytes: () => methods.cacheStats().bytes,
    shipping_cache_projects: () => methods.cacheStats().projects,
    shipping_waiting_writers: () => methods.databaseStats().waitingWriters,
    pool_connections: () => pool.totalCount,
    pool_idle: () => pool.idleCount,
    pool_waiting: () => pool.waitingCount,
  };
  const counters = {
    shipping_cache_hits_total: () => methods.cacheStats().hits,
    shipping_cache_misses_total: () => methods.cacheStats().misses,
    shipping_cache_revision_queries_total: () => methods.cacheStats().revisionQueries,
    shipping_lost_races_total: () => methods.databaseStats().lostRaces,
    shipping_retries_total: () => methods.databaseStats().retries,
    shipping_unavailable_total: () => methods.databaseStats().unavailable,
    shipping_outcome_unknown_total: () => methods.databaseStats().outcomeUnknown,
  };
  const help = 'See cacheStats() and databaseStats() of nestjs-shipping';
  for (const [name, read] of Object.entries(gauges))
    register.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  for (const [name, read] of Object.entries(counters))
    register.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    );
  register.registerMetric(
    new Gauge({
      name: 'shipping_read_only',
      help: '1 if this instance uses a read-only server',
      registers: [],
      collect() {
        // The next scrape has the response. If the database hangs, the other figures do not wait for it.
        pool.query('SHOW transaction_read_only').then(
          ({ rows }) => this.set(rows[0].transaction_read_only === 'on' ? 1 : 0),
          () => undefined,
        );
      },
    }),
  );
}

class ErrorCounter implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const count = (error: unknown): never => {
      if (error instanceof ShippingHttpError && error.getStatus() === 503) failures.inc({ code: error.code });
      throw error;
    };
    return next.handle().pipe(catchError(count));
  }
}

class SampledLogger extends RequestLogger {
  private next = 0;

  override error(message: unknown, ...rest: unknown[]): void {
    if (this.passes(message)) super.error(message, ...rest);
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    if (this.passes(message)) super.warn(message, ...rest);
  }

  private passes(message: unknown): boolean {
    if (!String(message).startsWith('database_unavailable')) return true;
    if (Date.now() < this.next) return false;
    this.next = Date.now() + 1000;
    return true;
  }
}

let database: TestDatabase;
let testing: TestingModule;
let host: Host;
beforeAll(async () => {
  database = await testDatabase();
  testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
  host = await listening(testing, (app) => {
    app.useGlobalFilters(new ProblemDetailsFilter());
    app.useGlobalInterceptors(new ErrorCounter());
  });
});
afterAll(async () => {
  await host?.app.close();
  await database?.close();
});

it('prom-client reads the figures of the module when it is scraped', async () => {
  const register = new Registry();
  const methods = testing.get(ShippingMethodsService);
  exportFigures(methods, (database.dataSource.driver as PostgresDriver).master as Pool, register);

  await methods.list('acme');
  await methods.list('acme');
  await register.metrics();
  // The pool has one connection, which was asked whether it is read-only.
  await database.dataSource.query('SELECT 1');
  const text = await register.metrics();

  expect(text).toMatch(/^shipping_cache_projects 1$/m);
  expect(text).toMatch(/^shipping_cache_bytes [1-9]\d*$/m);
  expect(text).toMatch(/^shipping_waiting_writers 0$/m);
  expect(text).toMatch(/^pool_connections 1$/m);
  expect(text).toMatch(/^pool_idle 1$/m);
  expect(text).toMatch(/^pool_waiting 0$/m);
  expect(text).toMatch(/^# TYPE shipping_cache_hits_total counter\nshipping_cache_hits_total 1$/m);
  expect(text).toMatch(/^shipping_cache_misses_total 1$/m);
  expect(text).toMatch(/^shipping_outcome_unknown_total 0$/m);
  expect(text).toMatch(/^shipping_read_only 0$/m);
});

it('prom-client reads that the server is read-only', async () => {
  const register = new Registry();
  const pool = (database.dataSource.driver as PostgresDriver).master as Pool;
  exportFigures(testing.get(ShippingMethodsService), pool, register);

  await pool.query('SET default_transaction_read_only = on');
  await register.metrics();
  await pool.query('RESET default_transaction_read_only');

  expect(await register.metrics()).toMatch(/^shipping_read_only 1$/m);
});

it.each([
  ['fails', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['hangs', () => new Promise(() => undefined)],
])('prom-client reads the other figures while the database %s', async (_, query) => {
  const register = new Registry();
  const pool = (database.dataSource.driver as PostgresDriver).master as Pool;
  exportFigures(testing.get(ShippingMethodsService), pool, register);
  vi.spyOn(pool, 'query').mockImplementationOnce(query);

  expect(await register.metrics()).toMatch(/^shipping_waiting_writers 0$/m);
});

it('prom-client counts the changes that are committed', async () => {
  const register = new Registry();
  const methods = testing.get(ShippingMethodsService);
  const changed = new Counter({
    name: 'shipping_changes_total',
    help: 'Changes of shipping methods',
    labelNames: ['type'],
    registers: [register],
  });
  methods.changes.subscribe(({ type }) => changed.inc({ type }));

  const { id } = await methods.create('acme', ground);
  await methods.remove('acme', id);
  const text = await register.metrics();

  expect(text).toMatch(/^shipping_changes_total\{type="created"\} 1$/m);
  expect(text).toMatch(/^shipping_changes_total\{type="removed"\} 1$/m);
});

it('a 503 has the message of the driver in the log, not in the response', async () => {
  const lines: unknown[] = [];
  const logged = vi
    .spyOn(Logger.prototype, 'error')
    .mockImplementation((line: unknown) => void lines.push(line));
  const down = vi.spyOn(database.dataSource, 'createQueryRunner').mockImplementation(() => {
    throw new DatabaseUnavailableError(new Error('The pool is empty.'));
  });

  const { status, text } = await new Client(host.origin, 'initech').list();
  logged.mockRestore();
  down.mockRestore();

  expect([status, lines.length]).toEqual([503, 1]);
  expect((await failures.get()).values).toMatchObject([
    { labels: { code: 'outcome_unknown' }, value: 0 },
    { labels: { code: 'database_unavailable' }, value: 1 },
  ]);
  expect(String(lines[0])).toMatch(/database_unavailable.*The pool is empty/);
  expect(text).not.toContain('pool');
});

it('a logger writes one line a second in an outage, each line with another code, and the request id', () => {
  const outputs = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const output of outputs) output.mockReturnValue(true);
  vi.useFakeTimers({ now: 0 });
  const logger = new SampledLogger();

  for (const time of [0, 500, 999, 1000, 1500]) {
    vi.setSystemTime(time);
    requests.run('first GET /', () => {
      logger.warn(`database_unavailable at ${time}`, 'ShippingModule');
      logger.error(`database_unavailable at ${time}`, 'ShippingModule');
      logger.error(`outcome_unknown at ${time}`, 'ShippingModule');
    });
  }
  const text = outputs.flatMap((output) => output.mock.calls.map(([line]) => String(line))).join('');
  vi.useRealTimers();
  for (const output of outputs) output.mockRestore();

  expect(text.match(/first GET . database_unavailable at \d+/g)).toEqual(
    [0, 1000].map((at) => `first GET / database_unavailable at ${at}`),
  );
  expect(text.match(/outcome_unknown/g)).toHaveLength(5);
});

it('an error of your database is in the log without the body, if you use ProblemDetailsFilter', async () => {
  const lines: unknown[] = [];
  const logged = vi
    .spyOn(Logger.prototype, 'error')
    .mockImplementation((line: unknown) => void lines.push(line));
  const allow = await engine.refuse(database.dataSource.manager, {
    table: 'shipping_method',
    on: 'INSERT',
    where: { project_id: 'umbrella' },
    message: 'The host says no',
  });

  const body = { ...ground, meta: { note: 'of the body' } };
  const { status } = await new Client(host.origin, 'umbrella').create(body);
  logged.mockRestore();
  await allow();

  expect([status, lines.length]).toEqual([500, 1]);
  expect(inspect(lines[0])).toContain('The host says no');
  expect(inspect(lines[0], { depth: 9 })).not.toContain('of the body');
});
