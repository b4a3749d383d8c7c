import { describe, expect, it, onTestFinished } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { Cluster, hasClusters } from './cluster.js';
import { inWords, Ledger } from './ledger.js';
import { ProxiedHost } from './proxied-host.js';

const failovers = sized({ ci: 0, long: 5 });

describe.skipIf(!hasClusters || failovers === 0)('a primary with a synchronous standby', () => {
  it('has all acknowledged writes on the promoted standby after a failure', async () => {
    const gaps: number[] = [];
    const total = { acknowledged: 0, lost: 0, phantom: 0, open: 0 };
    for (let round = 1; round <= failovers; round++) {
      const { gap, ...reckoning } = await failover();
      gaps.push(gap);
      total.acknowledged += reckoning.acknowledged;
      total.lost += reckoning.lost;
      total.phantom += reckoning.phantom;
      total.open += reckoning.open;
    }

    expect(total.acknowledged).toBeGreaterThan(100 * failovers);
    report({
      name: 'primary fails, synchronous standby promoted',
      done: `${failovers} failovers: ${inWords(total)}; no write for ${counted(Math.min(...gaps))} to ${counted(Math.max(...gaps))} ms, the promotion included`,
      criterion: '0 acknowledged lost, 0 phantom',
      database: 'PostgreSQL, primary and standby',
      met: total.lost + total.phantom === 0,
    });
  });
});

async function failover(): Promise<{
  gap: number;
  acknowledged: number;
  lost: number;
  phantom: number;
  open: number;
}> {
  const primary = await Cluster.primary();
  onTestFinished(() => primary.remove());
  const standby = await primary.standby('synchronous');
  onTestFinished(() => standby.remove());
  await primary.configure({ synchronous_standby_names: "'synchronous'" });
  const host = await ProxiedHost.start(primary.url);
  onTestFinished(() => host.abandon());
  const ledger = new Ledger('failover');
  const writing = ledger.write(8, () => host.origin);
  await ledger.acknowledged(200);

  const failed = performance.now();
  await primary.crash();
  await standby.promote();
  host.proxy.target = { ...host.proxy.target, port: standby.port };
  host.proxy.resetAll();
  await ledger.acknowledged(ledger.yes + 100);
  ledger.stop();
  await writing;

  const next = ledger.responses.find(({ at, status }) => at > failed && status === 201);
  return { gap: Math.round((next?.at ?? Infinity) - failed), ...(await ledger.reckon(host.origin)) };
}
