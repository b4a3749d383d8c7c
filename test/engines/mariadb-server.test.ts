import { Logger } from '@nestjs/common';
import mysql, { type Pool, type PoolOptions } from 'mysql2';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { driverThatSends } from '../guide/session-settings.js';
import { exportMysqlPool } from '../recipes/metrics-mysql.js';
import { freshProject, ground } from '../support/client.js';
import { type EngineDatabase, mariadb, onMariadbAndMysql, pglite } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

interface Queried {
  query(...statement: unknown[]): unknown;
}

onMariadbAndMysql('the server of', (server) => {
  let database: EngineDatabase;
  beforeAll(async () => {
    database = await server.create();
  });
  afterAll(() => database?.drop());

  const using = async (more: object, work: (host: EngineHost) => Promise<void>): Promise<void> => {
    const host = await hostOn(database, {}, more);
    await work(host).finally(() => host.close());
  };

  /** Boots a host over connections that begin with these statements. @returns the error at boot, or "served" */
  const bootedWith = async (...statements: string[]): Promise<string> => {
    let pool: Pool | undefined;
    const driver = driverThatSends(...statements);
    const createPool = (options: PoolOptions): Pool => (pool = driver.createPool(options));
    const outcome = await hostOn(database, {}, { driver: { ...driver, createPool } }).then(
      (host) => host.close().then(() => 'served'),
      ({ message }: Error) => message,
    );
    if (outcome !== 'served') await pool?.promise().end();
    return outcome;
  };

  it('has figures for prom-client: the waits for a connection, and whether the server is read-only', () =>
    using({ poolSize: 1 }, async ({ dataSource }) => {
      const register = new Registry();
      exportMysqlPool(dataSource, register);

      await Promise.all([1, 2, 3].map(() => dataSource.query('SELECT 1')));
      expect(await register.metrics()).toMatch(/^pool_waits_total 2$/m);
      // The pool has one connection, which was asked whether the server is read-only.
      await dataSource.query('SELECT 1');
      // A server of MariaDB 12 has more values than ON and OFF.
      vi.spyOn(dataSource, 'query').mockResolvedValueOnce([{ Value: 'NO_LOCK' }]);
      expect(await register.metrics()).toMatch(/^shipping_read_only 0$/m);

      expect(await register.metrics()).toMatch(/^shipping_read_only 1$/m);
    }));

  it.each([
    [
      'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
      'isolation = READ-UNCOMMITTED. With it, reads show',
    ],
    [
      "SET sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'",
      'sql_mode = NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES. With it, the driver cannot escape values',
    ],
    ['SET character_set_connection = latin1', 'character_set_connection = latin1. With it, some characters'],
    ['SET character_set_results = latin1', 'character_set_results = latin1. With it, some characters'],
  ])(
    'is refused over connections that begin with %s, unless they then send what the error names',
    async (sql, error) => {
      const message = await bootedWith(sql);

      expect(message).toContain(error);
      const [, remedy = ''] = /send "(.*)" on each new connection/.exec(message) ?? [];
      expect(await bootedWith(sql, remedy)).toBe('served');
    },
  );

  // MySQL has no Galera.
  it.skipIf(server !== mariadb)('is served with a warning when its node allows dirty reads', async () => {
    const dirty = 'SET SESSION wsrep_dirty_reads = ON';
    const warned = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());

    expect(await bootedWith(dirty)).toBe('served');
    const [message] = warned.mock.calls.map(String);
    expect(message).toContain('wsrep_dirty_reads = ON. With it, a Galera node');
    warned.mockClear();
    const [, remedy = ''] = /send "(.*)" on each new connection/.exec(message ?? '') ?? [];
    expect(await bootedWith(dirty, remedy)).toBe('served');
    expect(warned).not.toHaveBeenCalled();
  });

  it('is refused when TypeORM would begin transactions at READ UNCOMMITTED', async () => {
    const host = hostOn(database, {}, { isolationLevel: 'READ UNCOMMITTED' });

    await expect(host).rejects.toThrow(/has isolationLevel = READ UNCOMMITTED\. .*dataSource: 'name'/);
  });

  it.each([
    [
      '0',
      /wsrep_sync_wait = 0\. With it, a Galera node can return old data\. .*"SET SESSION wsrep_sync_wait = 1"/,
    ],
    ['6', /wsrep_sync_wait = 6\. With it, a Galera node/],
    ['1', /^served$/],
    ['7', /^served$/],
  ])('is served as a node of Galera only where reads wait: wsrep_sync_wait = %s', async (value, outcome) => {
    const ofNode = `SELECT 'wsrep_on' AS Variable_name, 'ON' AS Value UNION SELECT 'wsrep_sync_wait', '${value}'`;
    let pool: Pool | undefined;
    const createPool = (options: PoolOptions): Pool => {
      pool = mysql.createPool(options).on('connection', (connection: Queried) => {
        const send = connection.query.bind(connection);
        connection.query = (sql, ...rest) => send(sql === 'SHOW VARIABLES' ? ofNode : sql, ...rest);
      });
      return pool;
    };

    const booted = await hostOn(database, {}, { driver: { ...mysql, createPool } }).then(
      (host) => host.close().then(() => 'served'),
      (error: Error) => error.message,
    );

    expect(booted).toMatch(outcome);
    if (booted !== 'served') await pool?.promise().end();
  });

  it.each(['ANSI_QUOTES', 'PIPES_AS_CONCAT'])(
    'takes every value as data under the SQL mode %s',
    async (mode) => {
      await using({ poolSize: 1 }, async ({ dataSource, methods, events }) => {
        const project = freshProject();
        const text = String.raw`it's \' OR 1=1 -- \\ "x" %_`;
        await dataSource.query(`SET SESSION sql_mode = '${mode},STRICT_TRANS_TABLES'`);

        const { id } = await methods.create(project, { ...ground, method_label: text, meta: { text } });
        await methods.create(project, { ...ground, method_code: '04' });
        await events.record({ projectId: project, orderId: 'o' }, { type: 'a.b', message: text });

        expect(await methods.list(project, { q: String.raw`it's \'` })).toMatchObject({
          data: [{ id, method_label: text, meta: { text } }],
        });
        expect((await methods.list(project, { filter: { method_label: text } })).meta.total).toBe(1);
        expect(await events.findAll({ projectId: project, orderId: 'o' })).toMatchObject([{ message: text }]);
      });
    },
  );

  it.each(['SYSTEM', 'local', '+05:45'])('keeps the times of hosts in the time zone %s', async (timezone) => {
    await using(
      { timezone: timezone === 'SYSTEM' ? undefined : timezone },
      async ({ dataSource, events }) => {
        const project = freshProject();
        await dataSource.query(`SET SESSION time_zone = '-03:30'`);

        const { recorded_at } = await events.record(
          { projectId: project, orderId: 'o' },
          {
            type: 'a.b',
            occurred_at: '2026-03-29T01:30:00.123Z',
          },
        );

        expect(Math.abs(Date.parse(recorded_at) - Date.now())).toBeLessThan(60_000);
        expect(await events.findAll({ projectId: project, orderId: 'o' })).toMatchObject([
          { occurred_at: '2026-03-29T01:30:00.123Z', recorded_at },
        ]);
      },
    );
  });
});

onMariadbAndMysql('beside PostgreSQL in one process,', (server) => {
  it('stores and reads the same', async () => {
    const project = freshProject();
    const read: unknown[] = [];

    for (const engine of [pglite, server]) {
      const database = await engine.create();
      const host = await hostOn(database);
      await host.methods.upsertMany(project, [ground, { ...ground, method_code: '01', use_default: true }]);
      await host.events.record({ projectId: project, orderId: 'o' }, { type: 'a.b', dedupe_key: 'k' });
      read.push([
        (await host.methods.list(project)).data,
        await host.events.findAll({ projectId: project, orderId: 'o' }),
      ]);
      await host.close();
      await database.drop();
    }

    const stored = [[{ method_code: '01' }, ground], [{ type: 'a.b' }]];
    expect(read).toMatchObject([stored, stored]);
  });
});
