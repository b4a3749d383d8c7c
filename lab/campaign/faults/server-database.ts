import { randomBytes } from 'node:crypto';
import { type Target } from '../../../test/support/proxy.js';

/** A database on a server for one test file, because the sample host uses the default names of its tables. */
export interface ServerDatabase {
  readonly url: string;
  readonly target: Target;
  /** The same database as seen through a proxy on this port. */
  urlAt(port: number): string;
  /** Runs a query on its own connection. */
  query<Row extends object>(sql: string): Promise<Row[]>;
  /** Locks these tables, also for readers. @returns a function that ends it */
  lockTables(...names: string[]): Promise<() => Promise<void>>;
  /** How many of the host's sessions wait for such a lock. */
  waiting(): Promise<number>;
  /** Ends those sessions of the host, or one at random. @returns how many */
  terminate(which: 'idle' | 'waiting' | 'one'): Promise<number>;
  drop(): Promise<void>;
}

/** The URL of a database that is not there yet, on this server. */
export function newDatabase(server: string): { name: string; url: string } {
  const name = `faults_${randomBytes(6).toString('hex')}`;
  return { name, url: Object.assign(new URL(server), { pathname: `/${name}` }).href };
}

/** The same database as seen through a proxy on this port. */
export function urlAt(url: string, port: number): string {
  return Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
}
