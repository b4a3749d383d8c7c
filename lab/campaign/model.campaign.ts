import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverUrl } from '../../test/support/database.js';
import { counted, progress, report } from './figures.js';
import { seed, sized } from './size.js';
import { type Agreement, agreement } from '../../test/model/agreement.js';

/** On a server of CI, what the engine stores and how it compares. The embedded database shows the rest. */
const runs = sized({ ci: serverUrl ? 25 : 150, long: 10_000 });

describe('the library and a model of its contract in memory', () => {
  let both: Agreement;
  beforeAll(async () => {
    both = await agreement();
  });
  afterAll(() => both?.close());

  it('give the same responses to any commands in any order', async () => {
    let begun = 0;

    const done = await both.check({ seed, numRuns: runs }, () => progress('runs', begun++, runs));

    expect(done).toBeGreaterThanOrEqual(runs * 30);
    report({
      name: 'model-based commands',
      done: `${counted(runs)} runs, ${counted(done)} commands, 0 divergences`,
      criterion: `${counted(runs)} runs of 30 commands on average, 0 divergences`,
      met: true,
    });
  });
});
