import fc from 'fast-check';
import {
  MethodInUseError,
  ShippingHttpError,
  ShippingMethod,
  type ShippingMethodChange,
  ShippingMethodsService,
  ShippingProject,
  type UpsertManyOptions,
  type UpsertShippingMethodRequest,
} from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { watchStatements } from '../support/statements.js';
import { methodsOf } from '../support/changes.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver' };
const defaults = [
  { ...ground, carrier_label: 'UPS', sort_order: 3, meta: { days: 2, air: false } },
  { ...express, meta: { price: 1e2, note: 'é' } },
];
const nothing = { methods: [], changes: [] };

const anyRequest: fc.Arbitrary<UpsertShippingMethodRequest> = fc.record(
  {
    carrier_code: fc.constantFrom('ups', 'UPS'),
    method_code: fc.constantFrom('01', '03', '65'),
    method_label: fc.constantFrom('UPS Ground', 'Other', ' é '),
    carrier_label: fc.constantFrom(null, 'UPS', 'Own'),
    is_active: fc.constantFrom(null, true, false),
    sort_order: fc.constantFrom(null, -1, 0, 3),
    meta: fc.constantFrom(null, {}, { days: 2, air: false }, { price: 1.5e-300, list: [[]], '': 'Ã' }),
    use_default: fc.boolean(),
  },
  { requiredKeys: ['carrier_code', 'method_code', 'method_label'] },
);
const anyRequests = fc.uniqueArray(anyRequest, {
  maxLength: 6,
  selector: ({ carrier_code, method_code }) => `${carrier_code} ${method_code}`,
});
const anyOptions: fc.Arbitrary<UpsertManyOptions> = fc.oneof(
  fc.constant({}),
  fc.record(
    { removeOthers: fc.boolean(), maxRemoved: fc.integer({ min: 0, max: 4 }) },
    { requiredKeys: ['removeOthers'] },
  ),
);

/** Replaces the values that a dry run makes up: the ids of new methods, and the times of changes. */
function withoutMadeUp(result: unknown, known: ReadonlySet<string>): unknown {
  const names = new Map<string, string>();
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) => {
      if (/^(created|updated)_at$/.test(key)) return known.has(String(value)) ? value : 'made up';
      if (typeof value !== 'string' || known.has(value) || !/^[\da-f]{8}-[\da-f-]{27}$/.test(value))
        return value;
      names.set(value, names.get(value) ?? `id ${names.size}`);
      return names.get(value);
    }),
  );
}

describe('a dry run', () => {
  let database: TestDatabase;
  let app: TestApp;
  let other: TestApp;
  let methods: ShippingMethodsService;
  let project = '';
  const reported: ShippingMethodChange[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    await engine.createCart(database.dataSource.manager);
    const hook = async (change: ShippingMethodChange): Promise<void> => void reported.push(change);
    app = await testApp({ database, shipping: { maxMethods: 5, beforeCommit: { change: hook } } });
    other = await testApp({ database: await database.another() });
    methods = app.nest.get(ShippingMethodsService);
    methods.changes.subscribe((change) => reported.push(change));
    await methods.upsertMany('default', defaults);
  });
  afterAll(async () => {
    await app?.close();
    await other?.close();
    await database?.close();
  });
  beforeEach(() => {
    project = freshProject();
    reported.length = 0;
  });

  const stored = async (): Promise<unknown> => [
    await database.dataSource.manager.find(ShippingProject, { order: { projectId: 'ASC' } }),
    await database.dataSource.manager.find(ShippingMethod, { order: { projectId: 'ASC', id: 'ASC' } }),
  ];
  const errorOr = (call: Promise<unknown>): Promise<unknown> =>
    call.catch((error: unknown) => {
      if (error instanceof ShippingHttpError) return error.problem;
      throw error;
    });

  it('gives what the call then gives, except for ids and times', async () => {
    const run = async (own: UpsertShippingMethodRequest[], sent: typeof own, options: UpsertManyOptions) => {
      const id = freshProject();
      const { methods: existing } = await methods.upsertMany(id, own.slice(0, 5));
      const known = new Set(existing.flatMap((each) => [each.id, each.created_at, each.updated_at]));

      const before = await stored();
      const seen = reported.length;
      const dry = await errorOr(methods.upsertMany(id, sent, { ...options, dryRun: true }));
      const joined = await database.dataSource.transaction((manager) =>
        errorOr(methods.upsertMany(id, sent, { ...options, dryRun: true, manager })),
      );
      expect([await stored(), reported.length]).toEqual([before, seen]);
      const real = await errorOr(methods.upsertMany(id, sent, options));

      expect(withoutMadeUp(dry, known)).toEqual(withoutMadeUp(real, known));
      expect(withoutMadeUp(joined, known)).toEqual(withoutMadeUp(real, known));
    };

    await fc.assert(fc.asyncProperty(anyRequests, anyRequests, anyOptions, run), { seed: 7, numRuns: 30 });
  });

  it('writes nothing, reports nothing, and leaves the cache as it is', async () => {
    await methods.upsertMany(project, [ground, express]);
    const { data } = await methods.list(project);
    const before = await stored();
    reported.length = 0;
    const { sent, stop } = watchStatements(database.dataSource);

    const dry = await methods.upsertMany(project, [saver, { ...ground, is_active: false }], {
      removeOthers: true,
      dryRun: true,
    });
    stop();

    expect(dry.changes.map(({ type }) => type)).toEqual(['created', 'updated', 'removed']);
    expect(sent.filter((sql) => !sql.startsWith('SELECT'))).toEqual([]);
    expect(await stored()).toEqual(before);
    expect(reported).toEqual([]);
    expect((await methods.list(project)).data).toEqual(data);
    expect((await methods.list(project)).data).toEqual(data);
  });

  it('shows new methods with their inherited values, even in a new project', async () => {
    const dry = await methods.upsertMany(project, [{ ...ground, use_default: true }, saver], {
      dryRun: true,
    });

    expect(dry.methods).toMatchObject([
      { version: 1, sort_order: 3, meta: { days: 2 }, own: { sort_order: 0, meta: {} } },
      { ...saver, inherited: [] },
    ]);
    expect(dry.changes).toEqual(dry.methods.map((after) => ({ type: 'created', before: null, after })));
    expect(await database.dataSource.manager.countBy(ShippingProject, { projectId: project })).toBe(0);
  });

  it('shows a method before and after the change with what it inherits', async () => {
    const [existing] = (await methods.upsertMany(project, [{ ...ground, use_default: true }])).methods;

    const dry = await methods.upsertMany(project, [{ ...ground, is_active: false }], { dryRun: true });
    const same = await methods.upsertMany(project, [{ ...ground, sort_order: 3 }], { dryRun: true });

    const inherited = { sort_order: 3, meta: { days: 2 }, own: { sort_order: 0, meta: {} } };
    expect(dry.changes).toMatchObject([{ before: inherited, after: { ...inherited, is_active: false } }]);
    expect(dry.changes[0]?.before).toEqual(existing);
    expect(same).toEqual({ methods: [existing], changes: [] });
  });

  it('of the defaults project inherits nothing', async () => {
    const sent = defaults.map((each) => ({ ...each, use_default: true, sort_order: 9 }));

    const { methods: shown } = await methods.upsertMany('default', sent, { dryRun: true });

    expect(shown).toMatchObject([
      { sort_order: 9, inherited: [], version: 2 },
      { sort_order: 9, inherited: [], version: 2 },
    ]);
  });

  it('sees the changes of its transaction', async () => {
    await database.dataSource.transaction(async (manager) => {
      await methods.create(project, ground, { manager });

      const dry = await methods.upsertMany(project, [ground, express], { manager, dryRun: true });

      expect([dry.methods.length, dry.changes.length]).toEqual([2, 1]);
    });

    expect((await methods.list(project)).meta.total).toBe(1);
  });

  it('does not notice your foreign keys, but the call does', async () => {
    const { methods: existing } = await methods.upsertMany(project, [ground]);
    await engine.putIntoCart(database.dataSource.manager, project, existing[0]?.id ?? '');

    const dry = await methods.upsertMany(project, [saver], { removeOthers: true, dryRun: true });

    expect(methodsOf(dry.changes, 'removed')).toEqual(existing);
    await expect(methods.upsertMany(project, [saver], { removeOthers: true })).rejects.toThrow(
      MethodInUseError,
    );
  });

  it('without requests gives empty lists', async () => {
    expect(await methods.upsertMany(project, [], { dryRun: true })).toEqual(nothing);
  });

  it('of adoptDefaults gives what the call then creates', async () => {
    await methods.create(project, ground);
    const before = await stored();

    const dry = await methods.adoptDefaults(project, { dryRun: true });
    expect(await stored()).toEqual(before);
    const created = await methods.adoptDefaults(project);

    expect(created.methods).toMatchObject([{ ...express, use_default: true, version: 1 }]);
    expect(withoutMadeUp(dry, new Set())).toEqual(withoutMadeUp(created, new Set()));
  });

  onlyWhere('severalConnections', () => {
    it('does not hold up other writers of the project', async () => {
      await methods.create(project, ground);

      await database.dataSource.transaction(async (manager) => {
        await methods.upsertMany(project, [express], { removeOthers: true, dryRun: true, manager });
        await methods.adoptDefaults(project, { dryRun: true, manager });

        await other.nest.get(ShippingMethodsService).create(project, saver);
      });

      expect((await methods.list(project)).meta.total).toBe(2);
    });
  });
});
