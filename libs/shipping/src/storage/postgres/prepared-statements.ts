import { createHash } from 'node:crypto';
import { isPreparedStatementLost } from './postgres.errors.js';

/** What we use of a connection of `pg`. */
export interface Connection {
  /** Since pg 8.23: I (idle), T (in a transaction), E (in a failed one), as the last answer said. */
  getTransactionStatus?(): string | null;
  query(statement: { name?: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Statements that the database parses and plans once a connection. A pooler between us and it may hand each
 * transaction another connection (PgBouncer without `max_prepared_statements`): then we prepare no more.
 */
export class PreparedStatements {
  /** Of the texts that are used again and again; there are a few dozen. */
  private readonly names = new Map<string, string>();
  private isPossible = true;

  /** @param isOneOff for a text of which there are many: it is not prepared, and nothing is kept of it */
  async query(
    connection: Connection,
    text: string,
    values: readonly unknown[],
    isOneOff: boolean,
  ): Promise<unknown[]> {
    if (this.isPossible && !isOneOff) {
      try {
        return (await connection.query({ name: this.nameOf(text), text, values })).rows;
      } catch (error) {
        // It was not run.
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
