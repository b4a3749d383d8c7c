import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freshProject } from '../../../test/support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { inWords, Ledger } from './ledger.js';
import { ProxiedHost } from './proxied-host.js';
import { startHost } from './start-host.js';

const mostMs = 8_000;
const mostMsToHeal = 1_000;

interface Outage {
  name: string;
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
  /** So many responses with 503 are awaited while it lasts. */
  errors: number;
  writers: number;
  /** Other sessions still work meanwhile, so readiness may be yes or no. */
  isPartial?: true;
}

describe('the host, while its database is', { timeout: 120_000 }, () => {
  let host: ProxiedHost;
  beforeAll(async () => {
    host = await ProxiedHost.start();
  });
  afterAll(() => host?.close());

  it('silent and then late with every response, refuses in time and recovers at once', () =>
    expectRecovery({
      name: 'black hole, then delivered late',
      begin: () => host.proxy.hold(),
      end: () => host.proxy.heal(),
      errors: 8,
      writers: 4,
    }));

  it('silent for ever on its old connections, refuses in time and recovers at once', () =>
    expectRecovery({
      name: 'black hole, connections lost',
      begin: () => host.proxy.lose(),
      end: () => host.proxy.heal(),
      errors: 4,
      writers: 4,
    }));

  it('so slow that no statement ends in time, refuses in time and recovers at once', () =>
    expectRecovery({
      name: 'database slow by 6 s',
      begin: () => void (host.proxy.delayMs = 3_000),
      end: () => host.proxy.heal(),
      errors: 4,
      writers: 4,
    }));

  it('down, refuses and recovers at once', () => {
    const { target } = host.proxy;
    return expectRecovery({
      name: 'database down',
      begin: () => {
        host.proxy.target = { ...target, port: 1 };
        host.proxy.resetAll();
      },
      end: () => void (host.proxy.target = target),
      errors: 200,
      writers: 4,
    });
  });

  it('locked, so that every connection of the pool hangs, refuses in time and recovers at once', async () => {
    let unlock: () => Promise<void>;
    await expectRecovery({
      name: 'pool exhausted by statements that hang',
      begin: async () => void (unlock = await host.database.lockTables('shop_order')),
      end: () => unlock(),
      errors: 40,
      writers: 30,
      // Writes that do not hang sometimes get a connection, and so may the probe.
      isPartial: true,
    });
  });

  it('ending its sessions in the middle of statements, refuses and recovers at once', async () => {
    let unlock: () => Promise<void>;
    await expectRecovery({
      name: 'backends killed mid-statement',
      begin: async () => {
        unlock = await host.database.lockTables('shipping_method', 'shop_order');
        for (let killed = 0; killed < 30;) killed += await host.database.terminate('waiting');
      },
      end: () => unlock(),
      errors: 30,
      writers: 8,
      isPartial: true,
    });
  });

  it('ending its idle sessions, stays up and responds to the next request', async () => {
    const ended = await host.database.terminate('idle');

    const milliseconds = await host.wellAfter(freshProject());

    expect(ended).toBeGreaterThan(0);
    report({
      name: 'idle backends killed',
      done: `${ended} sessions: well after ${milliseconds} ms`,
      criterion: 'process alive, well within 1 s',
      met: host.sample.isAlive && milliseconds <= mostMsToHeal,
    });
  });

  it('ending sessions all the time, loses nothing of four replicas', { timeout: 600_000 }, async () => {
    const replicas = [host.sample];
    for (let started = 0; started < 3; started++) {
      const replica = await startHost({ DATABASE_URL: host.database.url });
      onTestFinished(() => replica.kill());
      replicas.push(replica);
    }
    const ledger = new Ledger(freshProject());
    let next = 0;
    const writing = ledger.write(32, () => replicas[next++ % 4]?.origin ?? '');
    await ledger.acknowledged(20);

    const since = performance.now();
    const kills = Array.from({ length: sized({ ci: 100, long: 3_000 }) }, async (_, place) => {
      await delay(place * 20);
      return host.database.terminate('one');
    });
    const ended = (await Promise.all(kills)).reduce((sum, count) => sum + count, 0);
    const seconds = (performance.now() - since) / 1_000;
    ledger.stop();
    await writing;

    const reckoning = await ledger.reckon(host.origin);
    expect(replicas.map(({ isAlive }) => isAlive)).toEqual([true, true, true, true]);
    const unknown = ledger.responses.filter(({ code }) => code === 'outcome_unknown').length;
    const refused = ledger.responses.filter(({ status }) => status === 503).length - unknown;
    expect(
      ledger.responses.filter(({ status }) => status === 0 || (status >= 500 && status !== 503)),
    ).toEqual([]);
    report({
      name: 'a storm of kills on four replicas',
      done: `${ended} kills in ${Math.round(seconds)} s, ${refused} refused, ${unknown} unknown; ${inWords(reckoning)}`,
      criterion: 'four processes alive, only 503, 0 lost, 0 phantom',
      met: reckoning.lost + reckoning.phantom === 0,
    });
  });

  async function expectRecovery({ name, begin, end, errors, writers, isPartial }: Outage): Promise<void> {
    const ledger = new Ledger(freshProject());
    const writing = ledger.write(writers, () => host.origin);
    await ledger.acknowledged(20);

    const before = ledger.responses.length;
    await begin();
    const refused = () => ledger.responses.slice(before).filter(({ status }) => status === 503).length;
    while (refused() < errors) await new Promise((soon) => setImmediate(soon));
    const health = await Promise.all([host.isLive(), host.isReady()]);
    await end();
    const healed = await host.wellAfter(freshProject());
    ledger.stop();
    await writing;

    const slowest = Math.round(Math.max(...ledger.responses.map(({ milliseconds }) => milliseconds)));
    const others = ledger.responses.filter(({ status }) => status !== 503 && (status >= 500 || status === 0));
    const reckoning = await ledger.reckon(host.origin);
    expect([...health, host.sample.isAlive]).toEqual([true, isPartial ? health[1] : false, true]);
    expect(others).toEqual([]);
    report({
      name,
      done: `${refused()} responses with 503, the slowest after ${counted(slowest)} ms; well after ${healed} ms; ${inWords(reckoning)}`,
      criterion: '503 within 8 s, process alive, well within 1 s of the end, 0 lost, 0 phantom',
      met: slowest < mostMs && healed <= mostMsToHeal && reckoning.lost + reckoning.phantom === 0,
    });
  }
});
