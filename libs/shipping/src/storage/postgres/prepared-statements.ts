import { createHash } from 'node:crypto';
import { type Row } from '../scripts.js';
import { isPreparedStatementLost } from './postgres.errors.js';

/** What we use of a connection of `pg`. */
export interface Connection {
  /** Since pg 8.23: I (idle), T (in a transaction), E (in a failed one), as the last answer said. */
  getTransactionStatus?(): string | null;
  query(statement: { name?: string; text: string; values: readonly unknown[] }): Promise<{ rows: Row[] }>;
}

/**
 * Prepares statements, so that each connection parses and plans them once. A pooler such as PgBouncer without
 * `max_prepared_statements` may use another connection for each transaction. Then no statement is prepared any more.
 */
export class PreparedStatements {
  /** By the text of the statement. There are a few dozen. */
  private readonly names = new Map<string, string>();
  private isPossible = true;

  /** @param isOneOff for a text that hardly comes again: it is not prepared */
  async query(
    connection: Connection,
    text: string,
    values: readonly unknown[],
    isOneOff: boolean,
  ): Promise<Row[]> {
    if (this.isPossible && !isOneOff) {
      try {
        return (await connection.query({ name: this.nameOf(text), text, values })).rows;
      } catch (error) {
        // The statement was not run.
        if (!isPreparedStatementLost(error)) throw error;
        this.isPossible = false;
      }
    }
    return (await connection.query({ text, values })).rows;
  }

  private nameOf(text: string): string {
    let name = this.names.get(text);
    if (name === undefined) {
      name = `shipping_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
      this.names.set(text, name);
    }
    return name;
  }
}
