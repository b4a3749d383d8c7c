import { appendFileSync } from 'node:fs';
import { serverUrl } from '../../test/support/database.js';

export interface Figure {
  /** The attack, as the table of figures names it. */
  name: string;
  /** What was done, and the result: `20,000 requests, 0 responses >= 500`. */
  done: string;
  /** When it passes: `0 responses >= 500`. */
  criterion: string;
  met: boolean;
  /** The database, when the attack has its own; by default the one of this run. */
  database?: string;
}

const results = process.env['CAMPAIGN_RESULTS'];

/**
 * Adds a row to the table that the runner prints at the end.
 * @throws Error when the criterion is not met, so that a run with a bad figure fails
 */
export function report(figure: Figure): void {
  const { name, done, criterion, met, database = nameOf(serverUrl) } = figure;
  const line = { name, done, database, criterion, met };
  if (results) appendFileSync(results, `${JSON.stringify(line)}\n`);
  console.log(`${met ? '✓' : '✗'} ${name} (${database}): ${done}`);
  if (!met) throw new Error(`${name}: ${done}, but the criterion is ${criterion}.`);
}

/** Prints a line after each tenth of a long attack. */
export function progress(name: string, done: number, all: number): void {
  if (done % Math.ceil(all / 10) === 0) console.log(`${name}: ${counted(done)} of ${counted(all)}`);
}

/** `20,000`, in every locale. */
export function counted(count: number): string {
  return count.toLocaleString('en-US');
}

function nameOf(url: string | undefined): string {
  if (url === undefined) return 'embedded';
  const names = { postgres: 'PostgreSQL', mariadb: 'MariaDB', mysql: 'MySQL', sqlite: 'SQLite' };
  return Object.entries(names).find(([type]) => url.startsWith(type))?.[1] ?? url;
}
