import { type CanActivate, Module, type Type } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { type ShippingMethodChange, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { addShippingToDocument } from 'nestjs-shipping/openapi';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, listening, typeOrm } from './host.js';

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
    [
      'whose paths differ only in the name of a second parameter',
      [
        { http: { path: 'api/projects/:project_id/:shop' } },
        { http: { path: 'api/projects/:project_id/:store' } },
      ],
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

describe('two mounts with routes', () => {
  const names = (method: string, number: string): string[] =>
    ['create', 'list', 'tree', 'update', 'remove']
      .map((handler) => `ShippingMethods${number}Controller.${handler}`)
      .concat(`OrderEvents${number}Controller.events`)
      .map((name) => `${method} ${name}`);

  it('have classes with names of their own, so that a guard that counts by name counts them apart', async () => {
    const one = ShippingModule.forRoot({ http: { path: 'one/:project_id' } });
    const two = ShippingModule.forRoot({ http: { path: 'two/:project_id' } });
    const servicesOnly = ShippingModule.forRoot({ dataSource: 'second', http: false });
    const called = async (...mounts: (typeof one)[]): Promise<string[]> => {
      const seen = new Set<string>();
      // Nest's ThrottlerGuard counts by these two names.
      const counting: CanActivate = {
        canActivate: (context) => {
          const { path } = context.switchToHttp().getRequest<{ path: string }>();
          seen.add(`${path.split('/')[1]} ${context.getClass().name}.${context.getHandler().name}`);
          return true;
        },
      };
      const testing = await compiled([typeOrm(database), typeOrm(second, 'second'), ...mounts]);
      const host = await listening(testing, (app) => app.useGlobalGuards(counting));
      onTestFinished(() => host.app.getHttpServer().close());
      for (const path of ['one', 'two'])
        for (const [method, route] of [
          ['POST', 'shipments/methods'],
          ['GET', 'shipments/methods'],
          ['GET', 'shipments/methods/tree'],
          ['PATCH', 'shipments/methods/none'],
          ['DELETE', 'shipments/methods/none'],
          ['GET', '1001/events'],
        ])
          await fetch(`${host.origin}/${path}/shop/${route}`, { method });
      return [...seen];
    };

    expect(await called(servicesOnly, one, two)).toEqual([...names('one', ''), ...names('two', '2')]);
    // Another application of the same process imports them in another order.
    expect(await called(two, one)).toEqual([...names('one', '2'), ...names('two', '')]);
  });

  it('are both documented as ours', async () => {
    const paths = ['one/:project_id', 'two/:project_id'];
    const mounts = paths.map((path) => ShippingModule.forRoot({ http: { path } }));
    const { app } = await listening(await compiled([typeOrm(database), ...mounts]));
    onTestFinished(() => app.getHttpServer().close());
    const scan = SwaggerModule.createDocument(app, new DocumentBuilder().build());

    const documented = paths.reduce((document, path) => addShippingToDocument(document, { path }), scan);

    const operations = Object.values(documented.paths).flatMap((item) =>
      Object.values(item as Record<string, { operationId: string; tags: string[] }>),
    );
    expect(operations).toHaveLength(12);
    expect(operations.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['listShippingMethods', 'listShippingMethods2']),
    );
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(
      new Set(['Shipping methods', 'Order events']),
    );
    const ofSecond = Object.entries(scan.paths).filter(([path]) => path.startsWith('/two/'));
    expect(() => addShippingToDocument({ ...scan, paths: Object.fromEntries(ofSecond) })).toThrow(
      "addShippingToDocument(document, { path: 'two/:project_id' })",
    );
  });

  describe('in RouterModule', () => {
    const one = { http: { path: 'one/:project_id' } };
    const two = { http: { path: 'two/:project_id' } };
    const booted = async (mounts: Options[], pages: string[], ...prefixed: Type[]): Promise<string> => {
      const testing = await compiled([
        typeOrm(database),
        typeOrm(second, 'second'),
        ...mounts.map((options) => ShippingModule.forRoot(options)),
        ...pages.map((path) => ShippingPageModule.forRoot({ path, routes: 'one/:project_id' })),
        RouterModule.register(prefixed.map((module, index) => ({ path: `prefix-${index}`, module }))),
      ]);
      return listening(testing).then(
        ({ app, origin }) => {
          onTestFinished(() => app.getHttpServer().close());
          return origin;
        },
        ({ message }: Error) => message,
      );
    };

    it.each([
      ['twice', [one, two], [], [ShippingModule, ShippingModule], 'ShippingModule', 'http.path'],
      ['once', [one, two], [], [ShippingModule], 'ShippingModule', 'http.path'],
      ['as two pages', [one], ['a', 'b'], [ShippingPageModule], 'ShippingPageModule', 'path'],
    ])('%s are refused at boot', async (_how, mounts, pages, prefixed, name, option) => {
      const error = await booted(mounts, pages, ...prefixed);

      expect(error).toContain(`every mount of ${name} would get the prefix "/prefix-${prefixed.length - 1}"`);
      expect(error).toContain(`Take ${name} out of RouterModule.register()`);
      expect(error).toContain(`into its option "${option}"`);
    });

    it('are accepted if only one of them has routes', async () => {
      const origin = await booted([one, { dataSource: 'second', http: false }], [], ShippingModule);

      expect((await fetch(`${origin}/prefix-0/one/shop/shipments/methods`)).status).toBe(200);
    });

    it('are accepted if only other modules have a prefix', async () => {
      @Module({})
      class Other {}

      const origin = await booted([one, two], [], Other);

      expect((await fetch(`${origin}/two/shop/shipments/methods`)).status).toBe(200);
    });
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
      testing.select(mount).get(ShippingMethodsService, { strict: true }),
    ) as [ShippingMethodsService, ShippingMethodsService];

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
    const [, other] = mounts.map((mount) =>
      testing.select(mount).get(ShippingMethodsService, { strict: true }),
    );

    await other?.create(freshProject(), ground);

    expect(called).toEqual(['b']);
  });
});

describe('the changes of a DataSource', () => {
  it('are reported to each mount and application that uses it, and to no other', async () => {
    const mounted = async (own: TestDatabase, ...paths: string[]): Promise<ShippingMethodsService[]> => {
      const mounts = paths.map((path) => ShippingModule.forRoot({ http: { path } }));
      const testing = await compiled([typeOrm(own), ...mounts]);
      await testing.init();
      return mounts.map((mount) => testing.select(mount).get(ShippingMethodsService, { strict: true }));
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
