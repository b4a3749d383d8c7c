import { Module } from '@nestjs/common';
import { type ShippingMethodChange, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

type Options = Parameters<typeof ShippingModule.forRoot>[0];
type Mounts = [first: Options, second: Options];

const admin = 'admin/projects/:project_id/orders';

let database: TestDatabase;
let second: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  second = await testDatabase();
});
afterAll(async () => {
  await second?.close();
  await database?.close();
});

describe('two mounts of the module', () => {
  const boot = async (...mounts: Options[]): Promise<string> => {
    const imports = mounts.map((options) => ShippingModule.forRoot(options));
    const compiling = compiled([typeOrm(database), typeOrm(second, 'second'), ...imports]);
    return compiling
      .then((testing) => testing.init())
      .then(
        () => 'booted',
        ({ message }: Error) => message,
      );
  };

  it.each([
    ['without options', [{}, {}]],
    ['with the same path', [{ http: { path: admin } }, { http: { path: `/${admin}/` } }]],
    [
      'whose paths differ only in the name of the parameter',
      [{ http: { path: 'api/projects/:shop' } }, { http: { path: 'api/projects/:tenant' } }],
    ],
    ['with a version in common', [{ http: { version: ['1', '2'] } }, { http: { version: '2' } }]],
    ['with one of two versions in common', [{ http: { version: '2' } }, { http: { version: ['1', '2'] } }]],
    ['that both have services only', [{ http: false }, { http: false }]],
    ['of which one has services only', [{}, { http: false }]],
    ['on two DataSources with the same path', [{}, { dataSource: 'second' }]],
  ] satisfies [string, Mounts][])('%s are refused, and the error says what to do', async (_how, mounts) => {
    const error = await boot(...mounts);

    expect(error).toContain('Import ShippingModule.forRoot() once, with isGlobal: true');
    expect(error).toMatch(
      /twice (at "(api|admin)\/projects\/\S+"\..*an http\.path of its own|on the DataSource "default"\..*cannot share)/,
    );
  });

  it.each([
    ['with two paths', [{}, { http: { path: admin } }]],
    ['with two versions', [{}, { http: { version: '2' } }]],
    [
      'with lists that have no version in common',
      [{ http: { version: ['1', '2'] } }, { http: { version: ['3', '4'] } }],
    ],
    ['on two DataSources, of which one has services only,', [{}, { dataSource: 'second', http: false }]],
  ] satisfies [string, Mounts][])('%s are accepted', async (_how, mounts) => {
    expect(await boot(...mounts)).toBe('booted');
  });

  it('are one mount when several modules import the same dynamic module', async () => {
    const shipping = ShippingModule.forRoot();
    @Module({ imports: [shipping] })
    class Feature {}

    const testing = await compiled([typeOrm(database), shipping, Feature]);

    await expect(testing.init()).resolves.toBe(testing);
  });

  it('in two applications of one process are accepted', async () => {
    expect([await boot({}), await boot({})]).toEqual(['booted', 'booted']);
  });
});

describe('beforeCommit of one mount', () => {
  it('cannot call the other mount without the manager', async () => {
    const [project, express] = [freshProject(), { ...ground, method_code: '01' }];
    const mounts = ['a/:project_id', 'b/:project_id'].map((path, index) =>
      ShippingModule.forRoot({
        http: { path },
        beforeCommit: {
          change: async () => {
            if (index === 0) await other.upsert(project, express);
          },
        },
      }),
    );
    const testing = await compiled([typeOrm(database), ...mounts]);
    const [one, other] = mounts.map((mount) =>
      testing.select(mount).get(ShippingMethods, { strict: true }),
    ) as [ShippingMethods, ShippingMethods];

    await expect(one.create(project, ground)).rejects.toThrow('Pass it as { manager }');

    expect((await other.list(project)).data).toEqual([]);
    expect(await other.create(project, express)).toMatchObject(express);
  });
});

describe('beforeCommit.change', () => {
  it('runs only for the calls of its mount', async () => {
    const called: string[] = [];
    const mounts = ['a', 'b'].map((name) =>
      ShippingModule.forRoot({
        http: { path: `${name}/:project_id` },
        beforeCommit: { change: async () => void called.push(name) },
      }),
    );
    const testing = await compiled([typeOrm(database), ...mounts]);
    const [, other] = mounts.map((mount) => testing.select(mount).get(ShippingMethods, { strict: true }));

    await other?.create(freshProject(), ground);

    expect(called).toEqual(['b']);
  });
});

describe('the changes of a DataSource', () => {
  it('are reported to each mount and application that uses it, and to no other', async () => {
    const mounted = async (own: TestDatabase, ...paths: string[]): Promise<ShippingMethods[]> => {
      const mounts = paths.map((path) => ShippingModule.forRoot({ http: { path } }));
      const testing = await compiled([typeOrm(own), ...mounts]);
      await testing.init();
      return mounts.map((mount) => testing.select(mount).get(ShippingMethods, { strict: true }));
    };
    const services = [
      ...(await mounted(database, 'a/:project_id', 'b/:project_id')),
      ...(await mounted(database, 'a/:project_id')),
      ...(await mounted(second, 'a/:project_id')),
    ];
    const seen = services.map((service) => {
      const changes: ShippingMethodChange[] = [];
      service.changes.subscribe((change) => changes.push(change));
      return changes;
    });
    const project = freshProject();

    const created = await services[0]?.create(project, ground);
    await database.dataSource.transaction(async (manager) => {
      await services[1]?.create(project, { ...ground, method_code: '01' }, { manager });
      expect(seen.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
    });

    expect(seen.map((changes) => changes.map(({ after }) => after?.method_code))).toEqual([
      ['03', '01'],
      ['03', '01'],
      ['03', '01'],
      [],
    ]);
    expect(seen[2]?.[0]?.after).toEqual(created);
  });

  it('are observed by one subscriber, however many mounts there are', async () => {
    for (let application = 0; application < 3; application++) {
      await compiled([typeOrm(database), ShippingModule.forRoot()]);
    }

    expect(database.dataSource.subscribers).toHaveLength(1);
  });
});
