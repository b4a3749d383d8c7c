import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../apps/sample/src/database.js';
import { serverUrl } from '../../support/database.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { prepareDirectory } from './embedded-directory.js';
import { SampleProcess } from './sample-process.js';
import { ServerDatabase } from './server-database.js';

const events = sized({ ci: 20_000, long: 100_000 });
const methods = sized({ ci: 5_000, long: 20_000 });
/**
 * The library itself holds far less at a time (see `large-answers.test.ts`). The limit includes memory that Node has
 * not collected yet. It is still a fraction of what the answers would take as objects. The embedded database is in
 * the same process.
 */
const mostMiB = sized({ ci: 64, long: 192 }) + (serverUrl ? 0 : 64);
const base = '/api/projects/large/sales/orders';

describe('the memory of the host', () => {
  let sample: SampleProcess;
  let clean: () => Promise<void>;
  beforeAll(async () => {
    let env: Record<string, string>;
    if (serverUrl) {
      const database = await ServerDatabase.create();
      env = { DATABASE_URL: database.url };
      await fill(database.url, '');
      clean = () => database.drop();
    } else {
      const dataDir = await mkdtemp(join(tmpdir(), 'memory-'));
      env = { DATA_DIR: dataDir };
      clean = () => rm(dataDir, { recursive: true });
      await prepareDirectory(dataDir);
      await fill(undefined, dataDir);
    }
    sample = await SampleProcess.start({ env });
  }, 600_000);
  afterAll(async () => {
    await sample?.kill();
    await clean?.();
  });

  it.each([
    ['events', `order of ${counted(events)} events`, `${base}/1/events`, events],
    ['tree', `tree of ${counted(methods)} methods`, `${base}/shipments/methods/tree`, methods],
    ['page', `page of ${counted(methods)} methods`, `${base}/shipments/methods?page=50&per_page=100`, 100],
  ])('stays bounded when the answer is large: %s', async (_route, what, path, items) => {
    await read(sample.origin + path);
    const before = sample.residentMiB;
    let most = before;

    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        read(sample.origin + path, () => (most = Math.max(most, sample.residentMiB))),
      ),
    );

    const growth = Math.round(most - before);
    expect(answers.map((answer) => answer.items)).toEqual([items, items, items, items]);
    report({
      name: `memory: ${what}`,
      done: `4 readers at once of ${counted(Math.round((answers[0]?.bytes ?? 0) / 1024))} KiB each: ${counted(growth)} MiB more resident at most, ${counted(Math.round(most))} in all`,
      criterion: `not more than ${mostMiB} MiB more`,
      met: growth <= mostMiB,
    });
  });
});

/** Inserts the rows directly into the migrated tables. */
async function fill(databaseUrl: string | undefined, dataDir: string): Promise<void> {
  const rest = { port: 0, host: '127.0.0.1', demo: false, apiKeys: [] };
  const dataSource = await openDatabase({ databaseUrl, dataDir, ...rest });
  const uuid = "('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
  const statements = [
    `INSERT INTO shipping_order_event (project_id, order_id, id, type, message, data, occurred_at, recorded_at)
     SELECT 'large', '1', ${uuid}, 'order.note', repeat('note ', 20), jsonb_build_object('n', n), now(), now()
     FROM generate_series(1, ${events}) AS n`,
    `INSERT INTO shipping_method (project_id, id, carrier_code, carrier_label, method_code, method_label,
       is_active, sort_order, meta, use_default, search_text, version, created_at, updated_at)
     SELECT 'large', ${uuid}, 'c' || n % 50, 'Carrier', 'm' || n, 'Method', true, n % 7,
       jsonb_build_object('n', n, 'text', repeat('text ', 20)), false, '', 1, now(), now()
     FROM generate_series(1, ${methods}) AS n`,
    `INSERT INTO shipping_project (project_id, revision, methods, followers) VALUES ('large', gen_random_uuid(), ${methods}, 0)`,
  ];
  try {
    for (const sql of statements) await dataSource.query(sql);
  } finally {
    await dataSource.destroy();
  }
}

/** Reads an answer to its end without keeping it. */
function read(url: string, onChunk: () => void = () => undefined): Promise<{ bytes: number; items: number }> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      let items = 0;
      let end = '';
      response.on('data', (chunk: Buffer) => {
        onChunk();
        bytes += chunk.length;
        // A mark may be split across two chunks.
        const text = end + chunk.toString('latin1');
        const marks = text.split('"project_id":').length - 1;
        items += marks;
        end = marks > 0 ? text.slice(text.lastIndexOf('"project_id":') + 13) : text;
        end = end.slice(-12);
      });
      response.on('end', () => resolve({ bytes, items }));
      response.on('error', reject);
    }).on('error', reject);
  });
}
