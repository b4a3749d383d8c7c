import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { prepareDirectory } from './embedded-directory.js';
import { SampleProcess } from './sample-process.js';

const rounds = sized({ ci: 0, long: 3 });
const canMount = process.getuid?.() === 0 && mounts();
if (!canMount) console.log('Skipped: the test with a full disk (mounting a tmpfs is not permitted here).');

const mostMs = 8_000;

/** A few kilobytes that do not compress well. */
const bulk = { text: Array.from({ length: 600 }, () => Math.random().toString(36)).join('') };

describe.skipIf(!canMount || rounds === 0)('the host with an embedded database on a full disk', () => {
  it.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    'refuses writes that it cannot store, loses nothing, and starts again when there is room (round %i)',
    async () => {
      const directory = mount();
      const dataDir = join(directory, 'data');
      mkdirSync(dataDir);
      await prepareDirectory(dataDir);
      writeFileSync(join(directory, 'ballast'), Buffer.alloc(freeBytes(directory) - 12 * 2 ** 20));
      const full = await SampleProcess.start({ env: { DATA_DIR: dataDir } });
      onTestFinished(() => full.kill());
      const shop = new Client(full.origin, 'full');

      const acknowledged: string[] = [];
      const refusals: [number, string][] = [];
      for (let index = 0; refusals.length < 4 && index < 20_000; index++) {
        const method_code = `m${index}`;
        const method = { carrier_code: 'ups', method_code, method_label: method_code, meta: bulk };
        const [status, code] = await Promise.race([
          shop.create(method).then((answer) => [answer.status, answer.body.code] as const),
          delay(mostMs, [0, 'no answer'] as const, { ref: false }),
        ]);
        if (status === 201) acknowledged.push(method_code);
        else refusals.push([status, code]);
      }
      const aliveWhenFull = full.isAlive;
      await full.kill();
      rmSync(join(directory, 'ballast'));
      const again = await SampleProcess.start({ env: { DATA_DIR: dataDir } });
      onTestFinished(() => again.kill());
      const there = await codesOf(new Client(again.origin, 'full'));
      const { status: wellStatus } = await new Client(again.origin, 'well').create({
        carrier_code: 'ups',
        method_code: '03',
        method_label: 'Well',
      });

      const told = [...new Set(refusals.map(([status, code]) => `${status} ${code}`))].join(', ');
      const lost = acknowledged.filter((code) => !there.has(code)).length;
      const phantom = [...there].filter((code) => !acknowledged.includes(code)).length;
      expect(acknowledged.length).toBeGreaterThan(100);
      expect(refusals.map(([status]) => status)).toEqual(refusals.map(() => 503));
      expect([aliveWhenFull, wellStatus]).toEqual([true, 201]);
      report({
        name: 'disk full under the embedded directory',
        done: `${counted(acknowledged.length)} acknowledged, then ${told}; ${lost} lost, ${phantom} phantom, opens clean`,
        criterion: '503, 0 acknowledged lost, opens clean',
        met: lost === 0,
      });
    },
  );
});

function mounts(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' });
    execFileSync('umount', [directory]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function mount(): string {
  const directory = mkdtempSync(join(tmpdir(), 'full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', directory]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true });
  });
  return directory;
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

async function codesOf(shop: Client): Promise<Set<string>> {
  const codes = new Set<string>();
  for (let page = 1; ; page++) {
    const { body } = await shop.list(`page=${page}&per_page=100`);
    for (const { method_code } of body.data) codes.add(method_code);
    if (body.data.length < 100) return codes;
  }
}
