import { setTimeout as delay } from 'node:timers/promises';
import { type OnModuleInit, type Type } from '@nestjs/common';
import {
  type DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
} from 'typeorm';
import { AfterCommit } from './after-commit.js';
import { connectionError, DatabaseUnavailableError, isTransient } from './database.errors.js';
import { onePerDataSource } from './one-per-data-source.js';
import { refuseOtherEngines } from './postgres-types.js';
import { PreparedStatements } from './prepared-statements.js';
import { Turns } from './turns.js';

/** The last argument of every service method. */
export interface CallOptions {
  /** Joins this manager's transaction: nothing is committed, retried or visible to others on its own. */
  manager?: EntityManager;
}

/** Of what is part of no transaction, not of an ambient one either: such as what is done for several callers at once. */
export const forMany: CallOptions = {};

const maxTries = 3;

const sharedOf = onePerDataSource((dataSource) => {
  const turns = new Turns<QueryRunner>();
  const afterCommits = new AfterCommit(dataSource, (runner) => turns.settled(runner));
  return { turns, afterCommits, statements: new PreparedStatements() };
});

/** One statement at a time, on the primary: in the caller's transaction, or committed by itself. */
export class Database implements OnModuleInit {
  private readonly afterCommits: AfterCommit;
  private readonly statements: PreparedStatements;
  private readonly turns: Turns<QueryRunner>;

  /** @throws Error that names the remedy, for a DataSource of another engine than PostgreSQL */
  constructor(
    readonly dataSource: DataSource,
    private readonly entities: readonly Type[],
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    refuseOtherEngines(dataSource);
    ({
      afterCommits: this.afterCommits,
      statements: this.statements,
      turns: this.turns,
    } = sharedOf(dataSource));
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
  async read<Row>(
    sql: string,
    parameters: readonly unknown[],
    options: CallOptions = {},
    isOneOff = false,
  ): Promise<Row[]> {
    const manager = this.callersManager(options);
    return manager
      ? this.inTurn(manager, () => this.inCallers<Row>(manager, sql, parameters))
      : this.alone<Row>(sql, parameters, false, isOneOff);
  }

  /**
   * One statement that writes. In a caller's transaction it stands behind a savepoint, so that a refusal
   * (a duplicate, a row in use) leaves that transaction usable.
   * @param canBeRefused false for a statement that no constraint stands against: spares the savepoint
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  async write<Row>(
    sql: string,
    parameters: readonly unknown[],
    options: CallOptions = {},
    canBeRefused = true,
  ): Promise<Row[]> {
    const manager = this.callersManager(options);
    if (!manager) return this.alone<Row>(sql, parameters, true);
    if (!manager.queryRunner?.isTransactionActive) return this.inCallers<Row>(manager, sql, parameters, true);
    return this.inTurn(manager, () =>
      canBeRefused
        ? this.inSavepoint<Row>(manager, sql, parameters)
        : this.inCallers<Row>(manager, sql, parameters),
    );
  }

  /** Runs `action` when what the call wrote is committed: at once, or after the caller's outermost COMMIT. */
  afterCommit(options: CallOptions, action: () => void): void {
    this.afterCommits.run(this.callersManager(options)?.queryRunner, action);
  }

  /** Whether the call is part of a transaction, or at least bound to a connection, of its caller. */
  isCallers(options: CallOptions): boolean {
    return this.callersManager(options) !== undefined;
  }

  /** The options with the transaction that is there now: an ambient one that begins meanwhile is not joined. */
  settled(options: CallOptions): CallOptions {
    const manager = this.callersManager(options);
    return manager ? { manager } : forMany;
  }

  /** The manager whose connection the call must use; undefined when the module is on its own. */
  private callersManager(options: CallOptions): EntityManager | undefined {
    if (options === forMany) return undefined;
    const manager = options.manager ?? this.ambientManager?.() ?? this.dataSource.manager;
    if (manager.connection !== this.dataSource) {
      throw new TypeError(
        'The manager belongs to another DataSource than ShippingModule: pass one of the DataSource it was given.',
      );
    }
    return manager.queryRunner ? manager : undefined;
  }

  /** What a host does side by side in one transaction takes turns: going back to a savepoint takes all with it. */
  private inTurn<Result>(manager: EntityManager, call: () => Promise<Result>): Promise<Result> {
    const runner = manager.queryRunner;
    if (!runner?.isTransactionActive) return call();
    const isRolledBack = this.afterCommits.isRolledBack(runner);
    return this.turns.take(runner, () => {
      if (isRolledBack()) throw new DatabaseUnavailableError(new Error('The transaction was rolled back.'));
      return call();
    });
  }

  /** By statements, not by `manager.transaction()`: that runs a host's subscribers, whose calls would wait for us. */
  private async inSavepoint<Row>(
    manager: EntityManager,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<Row[]> {
    await this.inCallers(manager, 'SAVEPOINT shipping', []);
    try {
      const rows = await this.inCallers<Row>(manager, sql, parameters);
      await this.inCallers(manager, 'RELEASE SAVEPOINT shipping', []);
      return rows;
    } catch (error) {
      // Where this fails too, the connection is gone, and the transaction with it.
      await this.inCallers(manager, 'ROLLBACK TO SAVEPOINT shipping', []).catch(() => undefined);
      throw error;
    }
  }

  private async inCallers<Row>(
    manager: EntityManager,
    sql: string,
    parameters: readonly unknown[],
    commitsItself = false,
  ): Promise<Row[]> {
    try {
      return await manager.query<Row[]>(sql, [...parameters]);
    } catch (error) {
      throw connectionError(error, commitsItself);
    }
  }

  private async alone<Row>(
    sql: string,
    parameters: readonly unknown[],
    writes: boolean,
    isOneOff = false,
  ): Promise<Row[]> {
    for (let attempt = 1; ; attempt++) {
      const runner = this.dataSource.createQueryRunner('master');
      try {
        const connection = await runner.connect().catch((error: unknown) => {
          throw new DatabaseUnavailableError(error);
        });
        // Not by the runner, which cannot prepare statements; the host's logger hears of them all the same.
        this.dataSource.logger.logQuery(sql, [...parameters], runner);
        return (await this.statements.query(connection, sql, parameters, isOneOff)) as Row[];
      } catch (error) {
        if (!isTransient(error)) throw connectionError(error, writes);
        if (attempt === maxTries) throw new DatabaseUnavailableError(error);
      } finally {
        await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }
}
