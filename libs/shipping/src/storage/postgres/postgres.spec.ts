import { DataSource } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailableError } from '../storage.errors.js';
import { Transactions } from '../transactions.js';
import { Postgres } from './postgres.js';

describe('a statement of our own', () => {
  /** A database whose first statements fail with these codes. */
  const failing = (...codes: string[]) => {
    const dataSource = new DataSource({ type: 'postgres' });
    const query = vi.fn<(statement: { text: string }) => Promise<unknown>>(() => {
      const code = codes.shift();
      return code ? Promise.reject(Object.assign(new Error('no'), { code })) : Promise.resolve({ rows: [1] });
    });
    const release = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const connection: { query: typeof query; getTransactionStatus?: () => string | null } = { query };
    const runner = dataSource.createQueryRunner();
    Object.assign(runner, { connect: () => Promise.resolve(connection), release });
    vi.spyOn(dataSource, 'createQueryRunner').mockReturnValue(runner);
    return { database: new Postgres(dataSource), connection, query, release };
  };

  it.each(['read', 'write'] as const)(
    'that %ss goes to the primary, where what was just written is seen',
    async (how) => {
      const { database } = failing();

      await database.send('shared', { sql: 'SELECT 1', values: [], writes: how === 'write' });

      expect(vi.mocked(database.dataSource.createQueryRunner).mock.calls.at(-1)).toEqual(['master']);
    },
  );

  it.each(['read', 'write'] as const)('that %ss is tried again after two lost races', async (how) => {
    const { database, query, release } = failing('40001', '40P01');

    expect(await database.send('alone', { sql: 'SELECT 1', values: [], writes: how === 'write' })).toEqual([
      1,
    ]);
    expect([query, release].map((called) => called.mock.calls.length)).toEqual([3, 3]);
  });

  it('is tried again after a ROLLBACK when an old driver has sent it in a failed transaction', async () => {
    const { database, query } = failing('25P02');
    const rollback = vi.spyOn(database.dataSource.createQueryRunner(), 'query').mockResolvedValue([]);

    expect(await database.send('alone', { sql: 'SELECT 1', values: [] })).toEqual([1]);
    expect(rollback.mock.calls).toEqual([['ROLLBACK']]);
    expect(query).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['I', 0],
    ['T', 1],
    ['E', 1],
    [null, 0],
  ])('on a connection in the state %j is sent after %j ROLLBACK', async (status, rollbacks) => {
    const { database, query, connection } = failing();
    connection.getTransactionStatus = () => status;

    await database.send('alone', { sql: 'SELECT 1', values: [], writes: true });

    expect(query.mock.calls.filter(([{ text }]) => text === 'ROLLBACK')).toHaveLength(rollbacks);
    expect(query.mock.calls.at(-1)).toMatchObject([{ text: 'SELECT 1' }]);
  });

  it.each(['read', 'write'] as const)('that %ss is unavailable after three lost races', async (how) => {
    const { database, query } = failing('55P03', '55P03', '55P03');

    await expect(
      database.send('alone', { sql: 'SELECT 1', values: [], writes: how === 'write' }),
    ).rejects.toThrow(DatabaseUnavailableError);
    expect(query).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['42601', 'no'],
    ['ECONNRESET', 'The connection to the database broke'],
  ])('that fails with %s is not tried again', async (code, message) => {
    const { database, query, release } = failing(code);

    await expect(database.send('alone', { sql: 'SELECT 1', values: [], writes: true })).rejects.toThrow(
      message,
    );
    expect([query, release].map((called) => called.mock.calls.length)).toEqual([1, 1]);
  });
});

describe('a statement in the transaction of the caller', () => {
  it('is not prepared: one that a pooler has lost would fail the transaction', async () => {
    const dataSource = new DataSource({ type: 'postgres' });
    const failed: string[] = [];
    const query = ({ name }: { name?: string }): Promise<unknown> => {
      if (name === undefined && failed.length === 0) return Promise.resolve({ rows: [1] });
      failed.push(failed.length === 0 ? '26000' : '25P02');
      const error = new Error(`After a statement with a name the transaction fails: ${failed.join(', ')}`);
      return Promise.reject(Object.assign(error, { code: failed.at(-1) }));
    };
    const connect = (): Promise<unknown> => Promise.resolve({ query });
    const runner = Object.assign(dataSource.createQueryRunner(), { isTransactionActive: true, connect });
    const manager = dataSource.createEntityManager(runner);
    const scope = new Transactions(dataSource).scopeOf({ manager });

    const rows = [
      await new Postgres(dataSource).send(scope, { sql: 'SELECT 1', values: [] }),
      await new Postgres(dataSource).send(scope, { sql: 'SELECT 1', values: [], writes: true }),
    ];

    expect(rows).toEqual([[1], [1]]);
    expect(failed).toEqual([]);
  });
});

describe("a statement on the caller's manager, when its connection breaks,", () => {
  it.each([
    ['write', false, 'outcome_unknown'],
    ['write', true, 'database_unavailable'],
    ['read', false, 'database_unavailable'],
  ] as const)('that %ss (in a transaction: %j) is %s', async (how, isTransactionActive, code) => {
    const dataSource = new DataSource({ type: 'postgres' });
    const query = (): Promise<never> => Promise.reject(new Error('Connection terminated unexpectedly'));
    const connect = (): Promise<unknown> => Promise.resolve({ query });
    const runner = Object.assign(dataSource.createQueryRunner(), { isTransactionActive, connect });
    const manager = dataSource.createEntityManager(runner);

    const scope = new Transactions(dataSource).scopeOf({ manager });

    await expect(
      new Postgres(dataSource).send(scope, { sql: 'SELECT 1', values: [], writes: how === 'write' }),
    ).rejects.toMatchObject({
      code,
    });
  });
});
