import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('what siblings read', () => {
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
  const sent = async (work: () => Promise<unknown>): Promise<string[]> => {
    const statements: string[] = [];
    const { logger } = database.dataSource;
    const logQuery = (sql: string): number => statements.push(sql);
    Object.assign(database.dataSource, { logger: Object.assign(Object.create(logger), { logQuery }) });
    await work();
    Object.assign(database.dataSource, { logger });
    return statements;
  };

  it.each([
    ['kept, as it is by default', ShippingModule.forRoot({ http: false }), false],
    ['kept in 64 MB', ShippingModule.forRoot({ cache: { maxBytes: 64 * 1024 * 1024 } }), false],
    ['not kept', ShippingModule.forRoot({ cache: false }), true],
  ])('is %s: a second read looks the methods up, or only their validator', async (_, shipping, again) => {
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
      const statements = await sent(async () => (second = await read()));

      expect(second).toEqual(first[index]);
      expect(second).not.toBe(first[index]);
      expect(statements.map((sql) => sql.includes('shipping_method'))).toEqual([again]);
    }
  });

  it('is asked of the database once by all who ask together', async () => {
    const methods = await mounted();
    const project = freshProject();
    await methods.create(project, ground);
    await methods.list(project);

    const statements = await sent(() => Promise.all(Array.from({ length: 50 }, () => methods.list(project))));

    expect(statements).toHaveLength(1);
  });

  it('comes to all who ask, though a connection is silent: it is asked for on another', async () => {
    const methods = await mounted();
    const project = freshProject();
    await methods.create(project, ground);
    const { dataSource } = database;
    const silent = dataSource.createQueryRunner('master');
    vi.spyOn(silent, 'connect').mockReturnValue(new Promise(() => undefined));
    vi.spyOn(dataSource, 'createQueryRunner').mockReturnValueOnce(silent);
    const timers: (() => void)[] = [];
    vi.stubGlobal('setTimeout', (isOver: () => void) => timers.push(isOver));

    const lists = [methods.list(project), methods.list(project)];
    timers[0]?.();

    for (const { data } of await Promise.all(lists)) expect(data).toMatchObject([ground]);
  });

  it('needs no prepared statements: a pooler may have lost them', async () => {
    const methods = await mounted();
    const project = freshProject();
    await methods.create(project, ground);
    await methods.list(project);
    await database.dataSource.query('DEALLOCATE ALL');

    const lists = [await methods.list(project), await methods.list(project)];
    await methods.create(project, { ...ground, method_code: '04' });

    expect(lists[0]).toEqual(lists[1]);
    expect((await methods.list(project)).meta.total).toBe(2);
  });
});
