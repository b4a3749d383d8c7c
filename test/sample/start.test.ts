import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../support/client.js';
import { serverUrl } from '../support/database.js';
import { SampleProcess } from '../support/sample-process.js';

/** Long enough for initdb and for processes that start from their sources, on a busy machine. */
const timeout = 120_000;

describe.skipIf(serverUrl)('the sample as a process, on the embedded database', { timeout }, () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sample-'));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  it('fills an empty directory, keeps other processes out, and ends on SIGTERM', async () => {
    const first = started(dataDir);
    await first.started;
    const examples = [...first.output.matchAll(/curl '([^']+)'/g)].map(([, url]) => url ?? '');
    const responses = await Promise.all(examples.map(async (url) => (await fetch(url)).json()));
    const second = started(dataDir);
    const secondCode = await second.ended;
    const silent = connect(Number(new URL(first.origin).port), '127.0.0.1').on('error', () => undefined);
    await once(silent, 'connect');

    first.process.kill('SIGTERM');
    const firstCode = await first.ended;

    expect(first.output).toMatch(
      /Creating the embedded database .* done\n.*done\nFilling the project "demo" .* done/s,
    );
    expect(responses).toMatchObject([
      { meta: { per_page: 5 }, data: [{}, {}, {}, {}, {}] },
      { data: expect.arrayContaining([expect.objectContaining({ carrier_code: 'ups' })]) },
      { data: expect.arrayContaining([expect.objectContaining({ type: 'order.placed' })]) },
    ]);
    expect([secondCode, second.output]).toEqual([
      1,
      `The data directory ${dataDir} is in use by another process. Stop that process, ` +
        'or set DATA_DIR to another directory.\n',
    ]);
    expect(firstCode).toBe(0);
  });

  it('ends with 0 on the SIGINT of Ctrl+C', async () => {
    const sample = started(dataDir);
    await sample.started;

    sample.process.kill('SIGINT');

    expect(await sample.ended).toBe(0);
  });

  it('starts again after kill -9 with every confirmed write', async () => {
    const killed = started(dataDir);
    await killed.started;
    const codes = Array.from({ length: 20 }, (_, index) => `m${index}`);
    const shop = new Client(killed.origin, 'kept');
    const confirmed: number[] = [];
    for (const method_code of codes) {
      const { status } = await shop.create({ carrier_code: 'ups', method_code, method_label: method_code });
      confirmed.push(status);
    }

    killed.process.kill('SIGKILL');
    await killed.ended;
    const next = started(dataDir);
    await next.started;

    expect(new Set(confirmed)).toEqual(new Set([201]));
    expect(next.output).toContain('The project "demo" already exists from an earlier start.');
    const kept = await new Client(next.origin, 'kept').list('per_page=100');
    expect(kept.body.data.map(({ method_code }) => method_code).toSorted()).toEqual(codes.toSorted());
  });
});

/** Starts the sample. It is killed at the end of the test. */
function started(dataDir: string): SampleProcess {
  const sample = new SampleProcess({
    env: { DATA_DIR: dataDir, DEMO: 'true' },
    ready: /curl .*events'\n/,
  });
  onTestFinished(() => void sample.process.kill('SIGKILL'));
  return sample;
}
