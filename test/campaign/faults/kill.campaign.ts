import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serverUrl } from '../../support/database.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { prepareDirectory } from './embedded-directory.js';
import { inWords, Ledger } from './ledger.js';
import { SampleProcess } from './sample-process.js';
import { ServerDatabase } from './server-database.js';

const kills = sized({ ci: 3, long: 50 });
/** Acknowledged in each round before the kill, so that it comes under load; then a little at random. */
const warmUp = 30;

describe('the host, killed under load', () => {
  let env: Record<string, string>;
  let clean: () => Promise<void>;
  beforeAll(async () => {
    if (serverUrl) {
      const database = await ServerDatabase.create();
      env = { DATABASE_URL: database.url };
      clean = () => database.drop();
    } else {
      const dataDir = await mkdtemp(join(tmpdir(), 'kill-'));
      env = { DATA_DIR: dataDir };
      clean = () => rm(dataDir, { recursive: true });
      await prepareDirectory(dataDir);
    }
  });
  afterAll(() => clean?.());

  it('keeps all that it acknowledged, has nothing that it refused, and starts again by itself', async () => {
    const ledger = new Ledger('killed');
    let sample = await SampleProcess.start({ env });
    onTestFinished(() => sample.kill());
    for (let round = 1; round <= kills; round++) {
      const writing = ledger.write(8, () => sample.origin);
      await ledger.acknowledged(ledger.yes + warmUp + Math.floor(Math.random() * 100));
      await sample.kill();
      ledger.stop();
      await writing;
      sample = await SampleProcess.start({ env });
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

  it('told to stop under load, finishes what it took and leaves with 0', async () => {
    const ledger = new Ledger('stopped');
    const first = await SampleProcess.start({ env });
    const writing = ledger.write(8, () => first.origin);
    await ledger.acknowledged(warmUp);
    const told = performance.now();

    const exitCode = await first.stop();

    const milliseconds = Math.round(performance.now() - told);
    ledger.stop();
    await writing;
    const next = await SampleProcess.start({ env });
    onTestFinished(() => next.kill());
    const reckoning = await ledger.reckon(next.origin);
    const wrong = ledger.answers.filter(({ status }) => status >= 500 && status !== 503).length;
    expect(exitCode).toBe(0);
    report({
      name: 'SIGTERM under load',
      done: `ends with 0 after ${counted(milliseconds)} ms: ${inWords(reckoning)}, ${wrong} answers 5xx but 503`,
      criterion: 'ends with 0 within 6 s, 0 acknowledged lost, 0 phantom, no 5xx but 503',
      met: milliseconds < 6_000 && reckoning.lost + reckoning.phantom + wrong === 0,
    });
  });
});
