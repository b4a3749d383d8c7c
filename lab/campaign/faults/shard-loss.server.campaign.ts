import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../../test/support/client.js';
import { serverUrl } from '../../../test/support/database.js';
import { SampleProcess } from '../../../test/support/sample-process.js';
import { namesOn, scaledDatabase, type ScaledDatabase } from '../../../test/support/scaling.js';
import { counted, report } from '../figures.js';
import { Cluster, hasClusters } from './cluster.js';
import { Ledger, type OneResponse, type Reckoning } from './ledger.js';
import { Proxy } from '../../../test/support/proxy.js';
import { urlAt } from './server-database.js';

const outageMs = 6_000;
const mostMs = 8_000;
/** A shard that starts again replays its log first. One that hung still has sessions that hold locks. */
const mostMsToHeal = 10_000;

interface Outcome extends Pick<Reckoning, 'lost' | 'phantom'> {
  requests: number;
  refused: number;
  /** Neither a response nor an error with 503. */
  wrong: number;
  slowest: number;
}

describe.skipIf(!hasClusters)('one of two shards', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let proxy: Proxy;
  let scaled: ScaledDatabase;
  let sample: SampleProcess;
  beforeAll(async () => {
    cluster = await Cluster.primary();
    proxy = await Proxy.before({ host: '127.0.0.1', port: cluster.port });
    scaled = await scaledDatabase('shards', [serverUrl ?? '', urlAt(cluster.url, proxy.port)]);
    sample = await SampleProcess.start({ env: { DATABASE_URL: scaled.url } });
  });
  afterAll(async () => {
    await sample?.kill();
    // Sessions of the front may still wait for connections that are silent for ever, and nobody could drop their
    // database.
    proxy?.resetAll();
    await scaled?.drop().finally(() => cluster.remove());
    await proxy?.close();
  });

  it('crashes under load: its projects get 503 in time, the others no error', () =>
    expectLoss(
      'crashes',
      () => cluster.crash(),
      () => cluster.start(),
    ));

  it('hangs under load: all requests get a response in time', () =>
    expectLoss(
      'hangs',
      () => Promise.resolve(proxy.lose()),
      () => Promise.resolve(proxy.heal()),
    ));

  async function expectLoss(
    name: string,
    begin: () => Promise<void>,
    end: () => Promise<void>,
  ): Promise<void> {
    const [others, lost] = await Promise.all([0, 1].map((shard) => load(name, shard)));
    if (!others || !lost) throw new Error('There are two shards.');
    for (const { ledgers } of [others, lost]) for (const ledger of ledgers) await ledger.acknowledged(6);

    await begin();
    await new Promise((soon) => setTimeout(soon, outageMs));
    const ready = await fetch(`${sample.origin}/health/ready`);
    await end();
    const ended = performance.now();
    for (const ledger of lost.ledgers) await ledger.acknowledged(ledger.yes + 1);
    const healed = Math.round(performance.now() - ended);

    const [those, these] = [await others.stop(), await lost.stop()];
    report({
      name: `loss of one of two shards, ${name}`,
      done: `its projects: ${inWords(these)}, well after ${counted(healed)} ms; the others: ${inWords(those)}`,
      criterion:
        '503 within 8 s, and nothing else, for its projects; nothing for the others if it crashes; well within 10 s; 0 lost, 0 phantom',
      met:
        ready.status === 200 &&
        these.refused > 0 &&
        these.wrong + those.wrong === 0 &&
        (name === 'hangs' || those.refused === 0) &&
        these.slowest < mostMs &&
        those.slowest < mostMs &&
        healed < mostMsToHeal &&
        these.lost + these.phantom + those.lost + those.phantom === 0,
    });
    expect(sample.isAlive).toBe(true);
  }

  /** Readers and writers of four projects of a shard. */
  async function load(name: string, shard: number) {
    // The projects of a ledger are numbered. It does not get to the fifth one.
    const names = await namesOn(scaled.url, shard, 4, name, ['-0', '-1', '-2', '-3']);
    const requests: Pick<OneResponse, 'status' | 'milliseconds'>[] = [];
    const state = { isStopped: false };
    const ledgers = names.map((each) => new Ledger(each));
    const writing = ledgers.map((ledger) => ledger.write(1, () => sample.origin));
    const reading = names.map(async (each) => {
      const shop = new Client(sample.origin, `${each}-0`);
      while (!state.isStopped) {
        const sent = performance.now();
        const { status } = await shop.list();
        requests.push({ status, milliseconds: performance.now() - sent });
      }
    });
    const stop = async (): Promise<Outcome> => {
      state.isStopped = true;
      for (const ledger of ledgers) ledger.stop();
      await Promise.all([...writing, ...reading]);
      const all = [...requests, ...ledgers.flatMap(({ responses }) => responses)];
      const reckonings: Reckoning[] = [];
      for (const ledger of ledgers) reckonings.push(await ledger.reckon(sample.origin));
      const sum = (key: keyof Reckoning): number => reckonings.reduce((total, each) => total + each[key], 0);
      return {
        requests: all.length,
        refused: all.filter(({ status }) => status === 503).length,
        wrong: all.filter(({ status }) => status === 0 || (status >= 500 && status !== 503)).length,
        slowest: Math.max(...all.map(({ milliseconds }) => milliseconds)),
        lost: sum('lost'),
        phantom: sum('phantom'),
      };
    };
    return { ledgers, stop };
  }
});

function inWords({ requests, refused, wrong, slowest, lost, phantom }: Outcome): string {
  const errors = `${counted(requests)} requests, ${counted(refused)} × 503, ${wrong} other errors`;
  return `${errors}, the slowest ${counted(Math.round(slowest))} ms, ${lost} lost, ${phantom} phantom`;
}
