import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { watchStatements } from '../support/statements.js';
import { compiled, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('a read by a sibling module', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  afterAll(() => database?.close());

  const mounted = async (shipping = ShippingModule.forRoot({ http: false })): Promise<ShippingMethods> =>
    (await compiled([typeOrm(database), shipping])).get(ShippingMethods, { strict: false });

  /** The statements that `work` sends. */
  const sentBy = async (work: () => Promise<unknown>): Promise<string[]> => {
    const { sent, stop } = watchStatements(database.dataSource);
    await work().finally(stop);
    return sent;
  };

  it.each([
    ['only the revision with the default cache', ShippingModule.forRoot({ http: false }), false],
    ['the methods without a cache', ShippingModule.forRoot({ cache: false }), true],
  ])('that is repeated looks up %s', async (_, shipping, again) => {
    const methods = await mounted(shipping);
    const project = freshProject();
    await methods.create(project, ground);
    const reads = [
      () => methods.list(project),
      () => methods.tree(project),
      () => methods.findActive(project),
    ];
    const first = await Promise.all(reads.map((read) => read()));

    for (const [index, read] of reads.entries()) {
      let second: unknown;
      const statements = await sentBy(async () => (second = await read()));

      expect(second).toEqual(first[index]);
      expect(second).not.toBe(first[index]);
      expect(statements.some((sql) => sql.includes('shipping_method'))).toBe(again);
      expect(statements).toHaveLength(1);
    }
  });
});
