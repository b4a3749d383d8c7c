import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { serverUrl } from '../../../test/support/database.js';
import { type SampleProcess } from '../../../test/support/sample-process.js';
import { runSql } from '../../../test/support/scaling.js';
import { counted, progress, report } from '../figures.js';
import { sized } from '../size.js';
import { inWords, Ledger, type Reckoning } from './ledger.js';
import { startHost } from './start-host.js';

/** The directory of `lab/citus/start.sh`, whose nodes are killed. The database must be the one of that script. */
const directory = process.env['CITUS_DIRECTORY'] ?? '';
if (directory === '')
  console.log('Skipped: kills of the nodes of Citus (CITUS_DIRECTORY is not set: see lab/citus/README.md).');
const url = serverUrl ?? '';
const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

const psql = (file: string) => run('psql', ['-Xqv', 'ON_ERROR_STOP=1', '-f', join(root, file), url]);
const sql = <Row extends object>(text: string): Promise<Row[]> => runSql<Row>(url, text);

/** The workers come after the coordinator. */
const ports = async (): Promise<number[]> => {
  const nodes = await sql<{ nodeport: number }>('select nodeport from pg_dist_node order by groupid');
  return nodes.map(({ nodeport }) => nodeport);
};

/** Starts the nodes that do not run, and creates those that are missing. */
async function startNodes(workers: number): Promise<void> {
  const { port, pathname } = new URL(url);
  await run('sh', [join(root, 'lab/citus/start.sh'), directory, port, String(workers), pathname.slice(1)]);
}

/** Ends a server with all its processes. */
async function kill(node: number): Promise<void> {
  const [pid = ''] = (await readFile(join(directory, `node-${node}`, 'postmaster.pid'), 'utf8')).split('\n');
  const { stdout } = await run('pgrep', ['-P', pid]);
  // Some children may have ended by themselves. Until the process is gone, `pg_ctl` takes the server for a running one.
  const script = 'kill -9 "$@" 2>/dev/null; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done';
  await run('sh', ['-c', script, 'kill', pid, ...stdout.trim().split('\n')]);
}

/** Creates the tables, as the host of the attacks has them, on all nodes. */
async function spread(): Promise<void> {
  await sql('alter table shop_order drop constraint if exists fk_shop_order_method');
  await psql('docs/scaling/citus.sql');
  await psql('docs/scaling/citus-defaults.sql');
  await psql('docs/scaling/citus-own-table.sql');
}

describe.skipIf(directory === '')('a cluster of Citus', () => {
  let host: SampleProcess;
  beforeAll(async () => {
    await sql(
      'drop table if exists shop_order, shipping_order_event, shipping_method, shipping_project, migrations',
    );
    host = await startHost({ DATABASE_URL: url });
    await spread();
    return () => host.kill();
  }, 300_000);

  /** Eight writers, each in a project of its own, work beside the attack. */
  async function written(
    name: string,
    attack: (acknowledged: () => number) => Promise<void>,
  ): Promise<{ reckoning: Reckoning; others: unknown[] }> {
    const ledgers = Array.from({ length: 8 }, (_, number) => new Ledger(`${name}-${number}`));
    const writing = ledgers.map((ledger) => ledger.write(1, () => host.origin));
    await attack(() => ledgers.reduce((sum, { yes }) => sum + yes, 0)).finally(() =>
      ledgers.forEach((ledger) => ledger.stop()),
    );
    await Promise.all(writing);
    await sql('select recover_prepared_transactions()');
    const reckoning = { acknowledged: 0, lost: 0, phantom: 0, open: 0 };
    for (const ledger of ledgers)
      for (const [key, count] of Object.entries(await ledger.reckon(host.origin)))
        reckoning[key as keyof Reckoning] += count;
    const isOther = ({ status }: { status: number }): boolean =>
      status === 0 || (status >= 500 && status !== 503);
    return { reckoning, others: ledgers.flatMap(({ responses }) => responses.filter(isOther)) };
  }

  /** @returns the responses that are neither a success, nor a 4xx, nor a 503 */
  async function killed(name: string, kills: number, node: (round: number) => number): Promise<unknown[]> {
    const workers = (await ports()).length - 1;
    const { reckoning, others } = await written(name, async (acknowledged) => {
      const more = async (count: number): Promise<void> => {
        const goal = acknowledged() + count;
        while (acknowledged() < goal) await pause(10);
      };
      for (let round = 0; round < kills; round++) {
        await more(30 + Math.floor(Math.random() * 100));
        await kill(node(round));
        await pause(1_000);
        await startNodes(workers);
        progress(`kill -9 of ${name}`, round + 1, kills);
      }
      await more(100);
    });
    report({
      name: `kill -9 of ${name}`,
      done: `${counted(kills)} kills: ${inWords(reckoning)}`,
      criterion: '0 acknowledged lost, 0 phantom, the host goes on by itself',
      met: host.isAlive && reckoning.lost + reckoning.phantom === 0,
    });
    return others;
  }

  it('loses no acknowledged write when workers are killed in turn', async () => {
    const workers = (await ports()).length - 1;
    expect(await killed('workers', sized({ ci: 4, long: 30 }), (round) => 1 + (round % workers))).toEqual([]);
  });

  it('loses no acknowledged write when the coordinator is killed', async () => {
    expect(await killed('coordinator', sized({ ci: 2, long: 6 }), () => 0)).toEqual([]);
  });

  it('loses no acknowledged write while a new worker takes over its part', async () => {
    const workers = (await ports()).length;
    const { reckoning, others } = await written('grown', async () => {
      await startNodes(workers);
      await sql('select citus_rebalance_start()');
      await sql('select citus_rebalance_wait()');
      await psql('docs/scaling/citus-defaults.sql');
    });
    expect(others).toEqual([]);
    const shards = await sql<{ count: string }>('select count(*) from citus_shards group by nodeport');
    report({
      name: 'a new worker under load',
      done: `${shards.length} nodes with shards: ${inWords(reckoning)}`,
      criterion: '0 acknowledged lost, 0 phantom, each worker and the coordinator have shards',
      met: reckoning.lost + reckoning.phantom === 0 && shards.length === workers + 1,
    });
  });
});
