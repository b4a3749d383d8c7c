import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../support/client.js';
import { serverUrl } from '../support/database.js';
import { SampleProcess } from '../support/sample-process.js';

/** Long enough for a build and for initdb on a busy machine. */
const timeout = 120_000;

describe.skipIf(serverUrl)('npm start, on the embedded database,', { timeout }, () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sample-'));
    execFileSync('npm', ['run', '--silent', 'prestart'], { stdio: 'pipe' });
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  it('fills an empty folder, prints addresses that work, keeps confirmed writes after kill -9, and ends on SIGTERM', async () => {
    const sample = started(dataDir);
    await sample.started;
    const addresses = [...sample.output.matchAll(/http:[^\s']+/g)].map(([address]) => address);

    const responses = await Promise.all(addresses.map((address) => fetch(address)));
    const bodies = await Promise.all(responses.map((response) => response.text()));
    const codes = Array.from({ length: 20 }, (_, index) => `m${index}`);
    const shop = new Client(sample.origin, 'kept');
    const confirmed: number[] = [];
    for (const method_code of codes) {
      const { status } = await shop.create({ carrier_code: 'ups', method_code, method_label: method_code });
      confirmed.push(status);
    }
    await sample.kill();
    const next = started(dataDir);
    await next.started;

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(bodies[0]).toContain('<h1>A small shop</h1>');
    expect(JSON.parse(bodies[4] ?? '')).toMatchObject({ meta: { total: 5 } });
    expect(JSON.parse(bodies[5] ?? '')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ type: 'shipment.delayed' })]),
    });
    expect(new Set(confirmed)).toEqual(new Set([201]));
    const kept = await new Client(next.origin, 'kept').list('per_page=100');
    expect(kept.body.data.map(({ method_code }) => method_code).toSorted()).toEqual(codes.toSorted());
    expect((await new Client(next.origin, 'demo').list()).body.meta.total).toBe(10);
    await next.stop();
    expect(next.process.signalCode).toBe('SIGTERM');
  });
});

/** Starts the sample. It is killed at the end of the test. */
function started(dataDir: string): SampleProcess {
  const sample = new SampleProcess({ env: { DATA_DIR: dataDir }, ready: /\/events'\n/ });
  onTestFinished(() => sample.kill());
  return sample;
}
