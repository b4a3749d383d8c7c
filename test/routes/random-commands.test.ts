import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agreement, agreement } from '../model/agreement.js';

describe('the library and a model of its contract in memory', () => {
  let both: Agreement;
  beforeAll(async () => {
    both = await agreement();
  });
  afterAll(() => both?.close());

  // The campaign runs the same check with other seeds, for hours.
  it('give the same responses to any commands in any order', async () => {
    const done = await both.check({ seed: 12, numRuns: 10 });

    expect(done).toBeGreaterThan(280);
  });
});
