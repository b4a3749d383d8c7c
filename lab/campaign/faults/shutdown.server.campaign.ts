import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../../test/support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { startHost } from './start-host.js';
import { createDatabase } from './host-database.js';

const rounds = sized({ ci: 1, long: 10 });
const requests = 8;

describe('the host, when it is told to stop,', () => {
  it('responds to the requests under way, accepts no new ones, and exits with 0', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    let responded = 0;
    const exitCodes = new Set<number | null>();
    for (let round = 1; round <= rounds; round++) {
      const sample = await startHost({ DATABASE_URL: database.url });
      onTestFinished(() => sample.kill());
      const shop = new Client(sample.origin, `stopped-${round}`);
      const codes = { carrier_code: 'ups', method_code: '03' };
      await shop.create({ ...codes, method_label: 'UPS Ground' });
      const unlock = await database.lockTables('shop_order');
      const underWay = Array.from({ length: requests }, (_, index) =>
        shop.send('POST', `/shops/${shop.project}/orders`, codes, { 'idempotency-key': `${index}` }).then(
          ({ status }) => status,
          () => 0,
        ),
      );
      while ((await database.waiting()) < requests);

      const ended = sample.stop();
      while (await isOpen(sample.origin));
      await unlock();
      responded += (await Promise.all(underWay)).filter((status) => status === 201).length;
      exitCodes.add(await ended);
    }

    expect([...exitCodes]).toEqual([0]);
    report({
      name: 'SIGTERM with requests under way',
      done: `${rounds} stops: ${counted(responded)} of ${counted(rounds * requests)} requests under way responded with 201, nothing new taken, ends with 0`,
      criterion: 'all responded, ends with 0',
      met: responded === rounds * requests,
    });
  });
});

/** Whether a new connection is accepted, and its request gets a response. */
async function isOpen(origin: string): Promise<boolean> {
  return fetch(origin).then(
    ({ status }) => status === 200,
    () => false,
  );
}
