import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type DataSource, type QueryRunner } from 'typeorm';
import { ShippingException } from '../../shipping.exception.js';
import { connectionError, contentionOf } from '../connection-errors.js';
import { codeOf } from '../engine-errors.js';
import { rowDialect, type RowDialect } from '../rows/row-dialect.js';
import { type Outcome, type Row, runNow, type Script, Scripts, type Statement } from '../scripts.js';
import { DatabaseUnavailableError } from '../storage.errors.js';
import { type OpenTransactions } from '../open-transactions.js';
import { JoinedTransaction, openTransactionsOf, type Scope } from '../transactions.js';

const maxTries = 3;

/** How long a call waits for a transaction that somebody in this process has open. */
const patienceMs = 10_000;
const pollMs = 5;

/** A text without its first lines. */
function after(text: string, lines: number): string {
  if (lines === 0) return text;
  const rest = after(text, lines - 1);
  return `substr(${rest}, instr(${rest}, char(10)) + 1)`;
}

/** One function call, so that SQLite copies no text twice. */
function concat(texts: readonly string[]): string {
  const isLiteral = (text: string): boolean => /^'[^']*'$/.test(text);
  const format = texts.map((text) => (isLiteral(text) ? text.slice(1, -1).replaceAll('%', '%%') : '%s'));
  return `printf(${[`'${format.join('')}'`, ...texts.filter((text) => !isLiteral(text))].join(', ')})`;
}

export const dialect: RowDialect = {
  ...rowDialect,
  line: (text, number) => {
    const rest = after(`(${text} || char(10))`, number - 1);
    return `substr(${rest}, 1, instr(${rest}, char(10)) - 1)`;
  },
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  starts: (text, part) => `instr(${text}, ${part}) = 1`,
  concat,
  joined: (separator, texts) => {
    const each = texts.map((text) => `COALESCE(${separator} || ${text}, '')`);
    return `substr(${each.join(' || ')}, 2)`;
  },
  jsonText: (text) => `json_quote(${text})`,
  wireTime: (time) => `replace(${time}, ' ', 'T') || 'Z'`,
  lock: () => '',
  newest: '',
  now: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
  ifThere: 'ON CONFLICT DO NOTHING',
  orNothing: 'ON CONFLICT DO NOTHING',
  byKey: '',
  returns: true,
  // What an AFTER trigger has changed is not in what RETURNING gives.
  returnsStored: false,
  nextSeq: (events) => `(SELECT COALESCE(MAX(seq), 0) + 1 FROM ${events})`,
  part: (select) => `SELECT * FROM (${select})`,
};

/** What we use of `better-sqlite3`. */
interface Database {
  open: boolean;
  inTransaction: boolean;
  prepare(sql: string): {
    reader: boolean;
    all(...values: unknown[]): Row[];
    run(...values: unknown[]): { changes: number };
  };
  exec(sql: string): void;
}

type Prepared = ReturnType<Database['prepare']>;

/**
 * Runs scripts on SQLite, in this process. TypeORM has one connection for everybody, so a script runs at once: no
 * statement of others comes between, and none of ours gets into another's transaction.
 */
export class SqliteScripts extends Scripts {
  /** Of each database that was opened: a host may initialize its DataSource again. */
  private readonly prepared = new WeakMap<Database, Map<string, Prepared>>();

  /** Called when TypeORM has sent a statement after which no transaction is open. */
  private readonly waiting = new Set<() => void>();

  private readonly open: OpenTransactions;

  constructor(dataSource: DataSource) {
    super(dataSource);
    this.open = openTransactionsOf(dataSource);
    this.open.onAnswer = ({ queryRunner, success }) => {
      if (!success) this.reopen(queryRunner);
      if (!this.database.inTransaction) for (const tell of this.waiting) tell();
      return undefined;
    };
  }

  /** SQLite names the columns, not the index. */
  isDuplicate(error: unknown, _index: string, lastColumn: string): boolean {
    return (
      codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE' && (error as Error).message.endsWith(`.${lastColumn}`)
    );
  }

  isForeignKeyViolation(error: unknown): boolean {
    // RESTRICT is a trigger of SQLite's own. A trigger of the host's has another message.
    return codeOf(error).startsWith('SQLITE_CONSTRAINT_') && /FOREIGN KEY/.test((error as Error).message);
  }

  async run<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    try {
      return await this.atOnce(scope, () => runNow(script(), this.answer));
    } catch (error) {
      if (isInTransaction(scope)) this.reopen(scope.runner);
      throw error;
    }
  }

  async write<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    if (!isInTransaction(scope))
      return this.atOnce(scope, () => this.inTransaction(() => runNow(script(), this.answer)));
    try {
      return await this.run(scope, script);
    } catch (error) {
      if (!(error instanceof ShippingException) || error instanceof DatabaseUnavailableError) scope.fail();
      throw error;
    }
  }

  private async atOnce<Result>(scope: Scope, work: () => Result): Promise<Result> {
    const end = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      // Nothing is awaited between the last look and the work.
      while (!isInTransaction(scope) && this.database.inTransaction) await this.nextEnd(end);
      try {
        if (scope instanceof JoinedTransaction) scope.assertOpen();
        return work();
      } catch (error) {
        const isFinal = attempt === maxTries || isInTransaction(scope) || !contentionOf(error);
        if (isFinal) throw connectionError(error, false);
      }
      await delay(Math.random() * 20 * attempt);
    }
  }

  /**
   * A busy host begins its next transaction at once, so a timer alone might always come too late.
   * @throws DatabaseUnavailableError
   */
  private nextEnd(latest: number): Promise<void> {
    if (Date.now() > latest) {
      const remedy = 'A transaction of this process stays open. To be part of it, pass its { manager }.';
      new Logger('ShippingModule').error(remedy);
      throw new DatabaseUnavailableError(new Error(remedy));
    }
    return new Promise((resolve) => {
      const tell = (): void => {
        clearTimeout(timer);
        this.waiting.delete(tell);
        resolve();
      };
      const timer = setTimeout(tell, pollMs);
      this.waiting.add(tell);
    });
  }

  /**
   * An error may have rolled back the whole transaction, for instance RAISE(ROLLBACK) in a trigger. What the host sends
   * next would commit by itself, so a transaction is opened in its place, which cannot be committed.
   */
  private reopen(runner: QueryRunner): void {
    if (!runner.isTransactionActive || this.database.inTransaction) return;
    for (const sql of this.open.failAll(runner, true)) this.database.exec(sql);
  }

  private inTransaction<Result>(work: () => Result): Result {
    // Of several processes on the file, one writes. IMMEDIATE tells at once, not at the first write.
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  private readonly answer = ({ sql, values, isOneOff }: Statement): Outcome => {
    this.dataSource.logger.logQuery(sql, [...values]);
    const statement = this.statementOf(sql, isOneOff);
    if (statement.reader) return { rows: statement.all(...values), affected: 0 };
    return { rows: [], affected: statement.run(...values).changes };
  };

  private statementOf(sql: string, isOneOff = false): Prepared {
    const known = this.prepared.get(this.database) ?? new Map<string, Prepared>();
    this.prepared.set(this.database, known);
    const statement = known.get(sql) ?? this.database.prepare(sql);
    if (!isOneOff) known.set(sql, statement);
    return statement;
  }

  private get database(): Database {
    const database = Reflect.get(this.dataSource.driver, 'databaseConnection') as Database | undefined;
    if (database?.open) return database;
    throw new DatabaseUnavailableError(new Error('The DataSource is not open.'));
  }
}

function isInTransaction(scope: Scope): scope is JoinedTransaction {
  return scope instanceof JoinedTransaction && scope.runner.isTransactionActive;
}
