import { get } from 'node:http';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connection, schema } from '../../../apps/sample/src/database.js';
import { serverUrl } from '../../../test/support/database.js';
import { addEvents, addMethods } from '../../../test/support/rows.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { type Environment, hostDatabase } from './host-database.js';
import { type SampleProcess } from '../../../test/support/sample-process.js';
import { startHost } from './start-host.js';

const events = sized({ ci: 5_000, long: 10_000 });
/** As many as a project may hold by default, and at most. */
const methods = sized({ ci: 1_000, long: 10_000 });
/**
 * The library itself holds far less at a time (see `event-stream.test.ts`). The limit includes memory that Node has
 * not collected yet. It is still a fraction of what the responses would take as objects. The embedded database is in
 * the same process.
 */
const mostMiB = sized({ ci: 64, long: 192 }) + (serverUrl ? 0 : 64);
const base = '/api/projects/large/sales/orders';

describe('the memory of the host', () => {
  let sample: SampleProcess;
  let clean: () => Promise<void>;
  beforeAll(async () => {
    const database = await hostDatabase();
    clean = database.clean;
    await fill(database.env);
    sample = await startHost(database.env);
  }, 600_000);
  afterAll(async () => {
    await sample?.kill();
    await clean?.();
  });

  it.each([
    ['events', `order of ${counted(events)} events`, `${base}/1/events`, events],
    ['tree', `tree of ${counted(methods)} methods`, `${base}/shipments/methods/tree`, methods],
    [
      'page',
      `page of ${counted(methods)} methods`,
      `${base}/shipments/methods?page=${methods / 100}&per_page=100`,
      100,
    ],
  ])('stays bounded when the response is large: %s', async (_route, what, path, items) => {
    await read(sample.origin + path);
    const before = sample.residentMiB;
    let most = before;

    const responses = await Promise.all(
      Array.from({ length: 4 }, () =>
        read(sample.origin + path, () => (most = Math.max(most, sample.residentMiB))),
      ),
    );

    const growth = Math.round(most - before);
    expect(responses.map((response) => response.items)).toEqual([items, items, items, items]);
    report({
      name: `memory: ${what}`,
      done: `4 readers at once of ${counted(Math.round((responses[0]?.bytes ?? 0) / 1024))} KiB each: ${counted(growth)} MiB more resident at most, ${counted(Math.round(most))} in all`,
      criterion: `not more than ${mostMiB} MiB more`,
      met: growth <= mostMiB,
    });
  });
});

/** Inserts the rows directly into the migrated tables. */
async function fill(env: Environment): Promise<void> {
  const settings = { ...connection(env), ...schema, migrationsRun: true } as DataSourceOptions;
  const dataSource = await new DataSource(settings).initialize();
  const { manager } = dataSource;
  try {
    await addEvents(manager, { projectId: 'large', orderId: '1' }, events, (n) => ({
      message: 'note '.repeat(20),
      data: { n },
    }));
    await addMethods(manager, 'large', methods, (n) => ({
      carrierCode: `c${n % 50}`,
      sortOrder: n % 7,
      meta: { n, text: 'text '.repeat(20) },
    }));
  } finally {
    await dataSource.destroy();
  }
}

/** Reads a response to its end without keeping it. */
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
