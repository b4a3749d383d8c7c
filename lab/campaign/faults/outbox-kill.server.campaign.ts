import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { createDatabase } from './host-database.js';

const kills = sized({ ci: 2, long: 30 });
const program = fileURLToPath(new URL('outbox-shop.ts', import.meta.url));

it('an outbox has a row for each change and event, when its host is killed again and again', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  let written = 0;
  for (let round = 0; round < kills; round++) {
    const host = spawn(process.execPath, ['--import', 'tsx', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATABASE_URL: database.url },
    });
    onTestFinished(() => void host.kill('SIGKILL'));
    const ended = once(host, 'close');
    const enough = written + 20 + Math.floor(Math.random() * 20);
    for await (const _line of createInterface({ input: host.stdout })) if (++written === enough) break;
    host.kill('SIGKILL');
    await ended;
  }

  // Each version of each method, as the outbox tells of it.
  const entries = await database.query<{ type: string; body: string }>(
    'SELECT type, body FROM outbox ORDER BY id',
  );
  const stored = await database.query<{ id: string; version: number }>(
    'SELECT id, version FROM shipping_method',
  );
  const versions = new Map<string, number>();
  let wrong = 0;
  const announced = entries.filter(({ type }) => !type.startsWith('method.'));
  for (const { type, body } of entries.filter((entry) => !announced.includes(entry))) {
    const { id, version } = JSON.parse(body) as { id: string; version: number };
    const expected = (versions.get(id) ?? 0) + (type === 'method.removed' ? 0 : 1);
    if (version !== expected) wrong++;
    if (type === 'method.removed') versions.delete(id);
    else versions.set(id, version);
  }
  for (const { id, version } of stored) {
    if (versions.get(id) !== Number(version)) wrong++;
    versions.delete(id);
  }
  const recorded = await database.query<{ id: string }>('SELECT id FROM shipping_order_event');
  const announcedIds = announced.map(({ body }) => (JSON.parse(body) as { id: string }).id).toSorted();
  if (String(announcedIds) !== String(recorded.map(({ id }) => id).toSorted())) wrong++;
  expect(written).toBeGreaterThanOrEqual(kills * 20);
  report({
    name: 'kill -9 of a host with an outbox',
    done: `${counted(kills)} kills, ${counted(entries.length - announced.length)} changes, ${counted(announced.length)} events: ${wrong + versions.size} without their row, or rows for nothing`,
    criterion: 'each version of each method and each event has its row, and no other row is there',
    met: wrong + versions.size === 0,
  });
});
