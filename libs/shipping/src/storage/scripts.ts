import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { type Scope } from './transactions.js';

export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  sql: string;
  values: readonly unknown[];
  /** It changes something. */
  writes?: boolean;
  /** The text depends on the request, so it hardly comes again. */
  isOneOff?: boolean;
}

export interface Outcome {
  rows: readonly Row[];
  /** How many rows the statement changed. */
  affected: number;
}

/**
 * The statements of one unit of work. Each is sent when the one before it was answered. A server awaits the answers; an
 * engine in this process runs the script at once, so that no statement of another call comes between.
 */
export type Script<Result> = Generator<Statement, Result, Outcome>;

/** Runs statements on one engine. All calls throw DatabaseUnavailableError. */
export abstract class Statements {
  constructor(readonly dataSource: DataSource) {}

  /**
   * In the caller's transaction, or each statement commits by itself.
   * @throws OutcomeUnknownError
   */
  abstract run<Result>(scope: Scope, script: () => Script<Result>): Promise<Result>;
  /** Whether the other row with these unique columns is what a statement failed on. */
  abstract isDuplicate(error: unknown, index: string, lastColumn: string): boolean;

  /** The quoted name of an entity's table, with the host's schema and prefix. */
  table(entity: EntityTarget<ObjectLiteral>): string {
    const { driver } = this.dataSource;
    const names = this.dataSource.getMetadata(entity).tablePath.split('.');
    return names.map((name) => driver.escape(name)).join('.');
  }

  /** Runs one statement. */
  send<Found extends object = Row>(scope: Scope, statement: Statement): Promise<readonly Found[]> {
    return this.run(scope, function* () {
      const { rows } = yield statement;
      return rows as readonly Found[];
    });
  }
}

/** An engine whose writes take several statements. */
export abstract class Scripts extends Statements {
  /**
   * In the caller's transaction, or in one of its own. A script that fails in the caller's transaction fails it.
   * @throws OutcomeUnknownError
   */
  abstract write<Result>(scope: Scope, script: () => Script<Result>): Promise<Result>;
  abstract isForeignKeyViolation(error: unknown): boolean;
}

/** Runs a script whose statements are answered later. */
export async function runLater<Result>(
  script: Script<Result>,
  send: (statement: Statement) => Promise<Outcome>,
): Promise<Result> {
  let step = script.next();
  while (!step.done) {
    const sent = await send(step.value).then(
      (outcome) => () => script.next(outcome),
      (error: unknown) => () => script.throw(error),
    );
    step = sent();
  }
  return step.value;
}

/** Runs a script whose statements are answered at once. */
export function runNow<Result>(script: Script<Result>, send: (statement: Statement) => Outcome): Result {
  let step = script.next();
  while (!step.done) {
    let outcome: Outcome;
    try {
      outcome = send(step.value);
    } catch (error) {
      step = script.throw(error);
      continue;
    }
    step = script.next(outcome);
  }
  return step.value;
}
