import { describe, expect, it } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { Proxy } from '../../../test/support/proxy.js';
import { SampleProcess } from '../../../test/support/sample-process.js';
import { createDatabase } from './host-database.js';

const races = sized({ ci: 1, long: 20 });
const instances = 4;

describe('instances that start together on an empty server', () => {
  it('create the schema once, fill the demo once, and all start', async () => {
    let up = 0;
    let once = 0;
    for (let race = 1; race <= races; race++) {
      const database = await createDatabase();
      // Each connects through its own proxy, which holds it back until the last one has connected.
      const gates = await Promise.all(Array.from({ length: instances }, () => Proxy.before(database.target)));
      for (const gate of gates) gate.hold();
      const all = Promise.all(gates.map((gate) => gate.connected()));
      const samples = gates.map(
        ({ port }) => new SampleProcess({ env: { DATABASE_URL: database.urlAt(port), DEMO: 'true' } }),
      );
      await all;
      for (const gate of gates) gate.heal();
      const started = await Promise.allSettled(samples.map((sample) => sample.started));
      up += started.filter(({ status }) => status === 'fulfilled').length;
      const [found] = await database.query<Record<'runs' | 'names' | 'methods' | 'orders', string | number>>(
        `SELECT (SELECT count(*) FROM migrations) AS runs, (SELECT count(DISTINCT name) FROM migrations) AS names,
           (SELECT count(*) FROM shipping_method WHERE project_id = 'demo') AS methods,
           (SELECT count(*) FROM shipping_order_event WHERE type = 'order.placed' AND order_id = '1001') AS orders`,
      );
      const filled = Number(found?.methods) > 0 && Number(found?.orders) === 1;
      if (found?.runs === found?.names && filled) once++;
      await Promise.all(samples.map((sample) => sample.kill()));
      await Promise.all(gates.map((gate) => gate.close()));
      await database.drop();
    }

    expect(up).toBeGreaterThan(0);
    report({
      name: 'boot race',
      done: `${races} x ${instances} instances at once: ${counted(up)} up, ${once} schemas made and filled once`,
      criterion: 'all up, schema once',
      met: up === races * instances && once === races,
    });
  });
});
