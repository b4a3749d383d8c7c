import { describe, expect, it, onTestFinished } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { createDatabase } from './host-database.js';
import { inWords, Ledger } from './ledger.js';
import { startHost } from './start-host.js';
import { hasTemporaryServers, temporaryServer } from './temporary-server.js';

const crashes = sized({ ci: 0, long: 20 });

describe.skipIf(!hasTemporaryServers || crashes === 0)('the server of the database', () => {
  it('has all acknowledged writes, and no refused one, after a crash under load', async () => {
    const server = await temporaryServer();
    onTestFinished(() => server.remove());
    const { url } = await createDatabase(server.url);
    const sample = await startHost({ DATABASE_URL: url });
    onTestFinished(() => sample.kill());
    const ledger = new Ledger('crashed');
    const writing = ledger.write(8, () => sample.origin);

    for (let round = 1; round <= crashes; round++) {
      await ledger.acknowledged(ledger.yes + 30 + Math.floor(Math.random() * 100));
      await server.crash();
      await server.start();
    }
    await ledger.acknowledged(ledger.yes + 30);
    ledger.stop();
    await writing;

    const reckoning = await ledger.reckon(sample.origin);
    const others = ledger.responses.filter(({ status }) => status === 0 || (status >= 500 && status !== 503));
    expect(others).toEqual([]);
    report({
      name: 'crash of the server under load',
      done: `${counted(crashes)} crashes: ${inWords(reckoning)}`,
      criterion: '0 acknowledged lost, 0 phantom, the host goes on by itself',
      met: sample.isAlive && reckoning.lost + reckoning.phantom === 0,
    });
  });
});
