import { setTimeout as delay } from 'node:timers/promises';
import { type OnModuleInit, type Type } from '@nestjs/common';
import {
  type DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
} from 'typeorm';
import { codeOf, connectionError, DatabaseUnavailableError, isTransient } from './database.errors.js';
import { KeyedQueue } from './keyed-queue.js';
import { onePerDataSource } from './one-per-data-source.js';
import { refuseOtherEngines } from './postgres-types.js';
import { type Connection, PreparedStatements } from './prepared-statements.js';
import { type Transaction, Transactions } from './transactions.js';

type Values = readonly unknown[];

/** The last argument of every service method. */
export interface CallOptions {
  /** Joins this manager's transaction: nothing is committed, retried or visible to others on its own. */
  manager?: EntityManager;
}

/** Of what is part of no transaction, not of an ambient one either: such as what is done for several callers at once. */
export const forMany: CallOptions = {};

/** What a call has of its caller: the connection, and the transaction that was open on it when the call began. */
class Joined implements CallOptions {
  constructor(
    readonly manager: EntityManager,
    readonly runner: QueryRunner,
    readonly transaction: Transaction | undefined,
  ) {}

  /** @throws DatabaseUnavailableError when the transaction has ended: a statement would commit by itself */
  assertOpen(): void {
    if (!this.runner.isReleased && !this.transaction?.hasEnded) return;
    const cause = new Error('The transaction had ended before the call was done: await the call first.');
    throw new DatabaseUnavailableError(cause);
  }
}

const maxTries = 3;
const rollback = 'ROLLBACK';

const sharedOf = onePerDataSource((dataSource) => ({
  transactions: new Transactions(dataSource),
  statements: new PreparedStatements(),
  queue: new KeyedQueue(),
}));

/** One statement at a time, on the primary: in the caller's transaction, or committed by itself. */
export class Database implements OnModuleInit {
  private readonly shared: ReturnType<typeof sharedOf>;

  /** @throws Error that names the remedy, for a DataSource of another engine than PostgreSQL */
  constructor(
    readonly dataSource: DataSource,
    private readonly entities: readonly Type[],
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    refuseOtherEngines(dataSource);
    this.shared = sharedOf(dataSource);
  }

  /** For calls that wait for a lock, so that they do not take all connections. */
  get queue(): KeyedQueue {
    return this.shared.queue;
  }

  /** @throws Error at boot, rather than at the first query, when the DataSource does not know our entities */
  onModuleInit(): void {
    const missing = this.entities.filter((entity) => !this.dataSource.hasMetadata(entity));
    if (this.dataSource.isInitialized && missing.length > 0) {
      throw new Error(
        `The DataSource does not know ${missing.map(({ name }) => name).join(', ')}. Set autoLoadEntities: true ` +
          `in TypeOrmModule.forRoot(), or add them: entities: [...shippingEntities] from 'nestjs-shipping'.`,
      );
    }
  }

  /** The quoted name of an entity's table, with the host's schema and prefix. */
  table(entity: EntityTarget<ObjectLiteral>): string {
    const { tablePath } = this.dataSource.getMetadata(entity);
    return tablePath
      .split('.')
      .map((name) => this.dataSource.driver.escape(name))
      .join('.');
  }

  /**
   * @param isOneOff true for a text that depends on what was asked for, so that there are any number of them
   * @throws DatabaseUnavailableError
   */
  read<Row>(sql: string, values: Values, options: CallOptions = {}, isOneOff = false): Promise<Row[]> {
    return this.run<Row>(sql, values, options, false, isOneOff);
  }

  /**
   * One statement that writes. An error of it ends the caller's transaction, as any statement's does.
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  write<Row>(sql: string, values: Values, options: CallOptions = {}): Promise<Row[]> {
    return this.run<Row>(sql, values, options, true, false);
  }

  /** Runs `action` when what the call wrote is committed: at once, or after the caller's outermost COMMIT. */
  afterCommit(options: CallOptions, action: () => void): void {
    this.shared.transactions.afterCommit(this.joined(options)?.runner, action);
  }

  /** Whether the call is part of a transaction, or at least bound to a connection, of its caller. */
  isCallers(options: CallOptions): boolean {
    return this.joined(options) !== undefined;
  }

  /**
   * The options with the transaction that is there now: the call joins no ambient one that begins meanwhile, and
   * sends nothing when this one has ended.
   */
  settled(options: CallOptions): CallOptions {
    return this.joined(options) ?? forMany;
  }

  /** What of its caller's the call must use; undefined when the module is on its own. */
  private joined(options: CallOptions): Joined | undefined {
    if (options === forMany) return undefined;
    if (options instanceof Joined) return options;
    const manager = options.manager ?? this.ambientManager?.() ?? this.dataSource.manager;
    if (manager.connection !== this.dataSource) {
      throw new TypeError(
        'The manager belongs to another DataSource than ShippingModule: pass one of the DataSource it was given.',
      );
    }
    const { queryRunner } = manager;
    return queryRunner && new Joined(manager, queryRunner, this.shared.transactions.join(queryRunner));
  }

  private async run<Row>(
    sql: string,
    values: Values,
    options: CallOptions,
    writes: boolean,
    isOneOff: boolean,
  ): Promise<Row[]> {
    const joined = this.joined(options);
    for (let attempt = 1; ; attempt++) {
      const runner = joined?.runner ?? this.dataSource.createQueryRunner('master');
      try {
        joined?.assertOpen();
        const connection = await (joined ? (runner.connect() as Promise<Connection>) : lent(runner));
        // Again, because from here to the sending nothing else can happen.
        joined?.assertOpen();
        // Not by the runner, which cannot prepare statements. The host's logger hears of them all the same.
        this.dataSource.logger.logQuery(sql, [...values], runner);
        return (await this.shared.statements.query(connection, sql, values, isOneOff || !!joined)) as Row[];
      } catch (error) {
        if (joined) throw connectionError(error, writes && !runner.isTransactionActive);
        // Where the driver is too old to tell in what state it lends a connection.
        if (codeOf(error) === '25P02') await runner.query(rollback).catch(() => undefined);
        if (attempt === maxTries || !isTransient(error)) throw connectionError(error, writes);
      } finally {
        if (!joined) await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }
}

/** A connection of the pool. One that was given back inside a transaction is rolled back first. */
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
