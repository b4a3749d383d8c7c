import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../../test/support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { createDatabase } from './host-database.js';
import { startHost } from './start-host.js';
import { hasTemporaryServers, temporaryServer } from './temporary-server.js';

const rounds = sized({ ci: 0, long: 3 });
const canMount = process.getuid?.() === 0 && mounts();
if (!canMount) console.log('Skipped: the test with a full disk (mounting a tmpfs is not permitted here).');

const isPossible = canMount && hasTemporaryServers;

const mostMs = 8_000;

/** A few kilobytes that do not compress well. */
const bulk = { text: Array.from({ length: 600 }, () => Math.random().toString(36)).join('') };

describe.skipIf(!isPossible || rounds === 0)('the host, when the disk of its database is full,', () => {
  it.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    'refuses writes that cannot be stored, and loses none (round %i)',
    async () => {
      const directory = mount();
      const server = await temporaryServer(directory);
      onTestFinished(() => server.remove());
      const env = { DATABASE_URL: (await createDatabase(server.url)).url };
      const full = await startHost(env);
      onTestFinished(() => full.kill());
      writeFileSync(join(directory, 'ballast'), Buffer.alloc(freeBytes(directory) - 12 * 2 ** 20));
      const projects = new Set<string>();

      const acknowledged: string[] = [];
      const open: string[] = [];
      const errors: [number, string][] = [];
      for (let index = 0; errors.length < 4 && index < 20_000; index++) {
        // A project holds 1,000 methods.
        const project = `full-${Math.floor(index / 900)}`;
        projects.add(project);
        const method_code = `m${index}`;
        const method = { carrier_code: 'ups', method_code, method_label: method_code, meta: bulk };
        const [status, code] = await Promise.race([
          new Client(full.origin, project)
            .create(method)
            .then((response) => [response.status, response.body.code] as const),
          delay(mostMs, [0, 'no response'] as const, { ref: false }),
        ]);
        if (status === 201) acknowledged.push(method_code);
        else errors.push([status, code]);
        if (code === 'outcome_unknown') open.push(method_code);
      }
      const aliveWhenFull = full.isAlive;
      rmSync(join(directory, 'ballast'));
      let hasStopped = false;
      // PostgreSQL may also stop a moment later.
      const restart = async (): Promise<void> => {
        if (await server.isAlive()) return;
        hasStopped = true;
        await server.start();
      };
      const wellMs = await wellAfter(new Client(full.origin, 'well'), restart);
      const there = new Set<string>();
      for (const project of projects)
        for (const code of await codesOf(new Client(full.origin, project))) there.add(code);

      const summary = [...new Set(errors.map(([status, code]) => `${status} ${code}`))].join(', ');
      const lost = acknowledged.filter((code) => !there.has(code)).length;
      const known = new Set([...acknowledged, ...open]);
      const phantom = [...there].filter((code) => !known.has(code)).length;
      const back = `the server ${hasStopped ? 'had to be started again' : 'went on by itself'}`;
      expect(acknowledged.length).toBeGreaterThan(100);
      expect(errors.map(([status]) => status)).toEqual(errors.map(() => 503));
      expect(aliveWhenFull).toBe(true);
      report({
        name: 'disk of the database full',
        done: `${counted(acknowledged.length)} acknowledged, then ${summary}; ${lost} lost, ${phantom} phantom; ${back}, well after ${wellMs} ms`,
        criterion: '503, 0 acknowledged lost, 0 phantom, well when there is room',
        met: lost + phantom === 0,
      });
    },
  );
});

/** Milliseconds until a create succeeds, tried again and again. */
async function wellAfter(shop: Client, restart: () => Promise<void>): Promise<number> {
  const since = performance.now();
  for (let attempt = 0; ; attempt++) {
    await restart();
    const method_code = `m${attempt}`;
    const { status } = await shop.create({ carrier_code: 'ups', method_code, method_label: 'Well' });
    if (status === 201) return Math.round(performance.now() - since);
    await delay(20);
  }
}

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

/** Others may enter it, because a server runs as a user of its own. */
function mount(): string {
  const directory = mkdtempSync(join(tmpdir(), 'full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=384m,mode=755', 'tmpfs', directory]);
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
