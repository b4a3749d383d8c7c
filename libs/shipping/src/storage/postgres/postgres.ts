import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type QueryRunner } from 'typeorm';
import { onePerDataSource } from '../one-per-data-source.js';
import { type Row, runLater, type Script, type Statement, Statements } from '../scripts.js';
import { DatabaseUnavailableError } from '../storage.errors.js';
import { JoinedTransaction, type Scope } from '../transactions.js';
import { connectionError, contentionOf } from '../connection-errors.js';
import { isInFailedTransaction } from './postgres.errors.js';
import { type Connection, PreparedStatements } from './prepared-statements.js';

const maxTries = 3;
const rollback = 'ROLLBACK';

const statementsOf = onePerDataSource(() => new PreparedStatements());

/** Runs one statement at a time on the primary: in the caller's transaction, or committed by itself. */
export class Postgres extends Statements {
  private readonly statements: PreparedStatements;

  constructor(dataSource: DataSource) {
    super(dataSource);
    this.statements = statementsOf(dataSource);
  }

  /** PostgreSQL has no statement that fails on a key that is taken. */
  isDuplicate(): boolean {
    return false;
  }

  /** The error of a statement fails the caller's transaction. */
  run<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    return runLater(script(), async (statement) => ({
      rows: await this.answer(scope, statement),
      affected: 0,
    }));
  }

  override send<Found extends object = Row>(scope: Scope, statement: Statement): Promise<readonly Found[]> {
    return this.answer(scope, statement) as Promise<readonly Found[]>;
  }

  private async answer(
    scope: Scope,
    { sql, values, writes = false, isOneOff = false }: Statement,
  ): Promise<Row[]> {
    const joined = scope instanceof JoinedTransaction ? scope : undefined;
    for (let attempt = 1; ; attempt++) {
      const runner = joined?.runner ?? this.dataSource.createQueryRunner('master');
      try {
        joined?.assertOpen();
        const connection = await (joined ? (runner.connect() as Promise<Connection>) : lent(runner));
        // Checked again: nothing else can run between here and the sending of the statement.
        joined?.assertOpen();
        // The runner cannot prepare statements, so the connection runs it. The host's logger still hears of it.
        this.dataSource.logger.logQuery(sql, [...values], runner);
        return await this.statements.query(connection, sql, values, isOneOff || !!joined);
      } catch (error) {
        if (joined) throw connectionError(error, writes && !runner.isTransactionActive);
        // An old driver does not tell the state of the connection that it lends.
        const isInFailed = isInFailedTransaction(error);
        if (isInFailed) await runner.query(rollback).catch(() => undefined);
        if (attempt === maxTries || (!isInFailed && !contentionOf(error)))
          throw connectionError(error, writes);
      } finally {
        if (!joined) await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }
}

/** Takes a connection of the pool. One that was given back inside a transaction is rolled back first. */
async function lent(runner: QueryRunner): Promise<Connection> {
  try {
    const connection = (await runner.connect()) as Connection;
    const isInTransaction = /T|E/.test(connection.getTransactionStatus?.() ?? '');
    if (isInTransaction) await connection.query({ text: rollback, values: [] });
    return connection;
  } catch (error) {
    throw new DatabaseUnavailableError(error);
  }
}
