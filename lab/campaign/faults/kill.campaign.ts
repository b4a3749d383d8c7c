import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { hostDatabase } from './host-database.js';
import { inWords, Ledger } from './ledger.js';
import { startHost } from './start-host.js';

/** So many writes are acknowledged before each kill, and then some more at random, so that it comes under load. */
const warmUp = 30;

describe('the host under load', () => {
  const kills = sized({ ci: 1, long: 50 });
  let env: Record<string, string>;
  let clean: () => Promise<void>;
  beforeAll(async () => {
    ({ env, clean } = await hostDatabase());
  });
  afterAll(() => clean?.());

  it('keeps all acknowledged writes when it is killed, and starts again', async () => {
    const ledger = new Ledger('killed');
    let sample = await startHost(env);
    onTestFinished(() => sample.kill());
    for (let round = 1; round <= kills; round++) {
      const writing = ledger.write(8, () => sample.origin);
      await ledger.acknowledged(ledger.yes + warmUp + Math.floor(Math.random() * 100));
      await sample.kill();
      ledger.stop();
      await writing;
      sample = await startHost(env);
    }

    const reckoning = await ledger.reckon(sample.origin);

    expect(reckoning.acknowledged).toBeGreaterThan(kills * warmUp);
    report({
      name: 'kill -9 of the host under load',
      done: `${counted(kills)} kills: ${inWords(reckoning)}`,
      criterion: '0 acknowledged lost, 0 phantom, starts again by itself',
      met: reckoning.lost + reckoning.phantom === 0,
    });
  });

  it('finishes its requests when it is asked to stop, and exits with 0', async () => {
    const ledger = new Ledger('stopped');
    const first = await startHost(env);
    const writing = ledger.write(8, () => first.origin);
    await ledger.acknowledged(warmUp);
    const signalledAt = performance.now();

    const exitCode = await first.stop();

    const milliseconds = Math.round(performance.now() - signalledAt);
    ledger.stop();
    await writing;
    const next = await startHost(env);
    onTestFinished(() => next.kill());
    const reckoning = await ledger.reckon(next.origin);
    const wrong = ledger.responses.filter(({ status }) => status >= 500 && status !== 503).length;
    expect(exitCode).toBe(0);
    report({
      name: 'SIGTERM under load',
      done: `ends with 0 after ${counted(milliseconds)} ms: ${inWords(reckoning)}, ${wrong} responses 5xx but 503`,
      criterion: 'ends with 0 within 6 s, 0 acknowledged lost, 0 phantom, no 5xx but 503',
      met: milliseconds < 6_000 && reckoning.lost + reckoning.phantom + wrong === 0,
    });
  });
});
