import { Inject, Injectable, Module, UseGuards } from '@nestjs/common';
import {
  type ShippingFactoryOptions,
  ShippingMethodsService,
  ShippingModule,
  type ShippingModuleAsyncOptions,
  type ShippingModuleOptions,
  type ShippingOptionsFactory,
} from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

@Injectable()
class Sibling {
  constructor(@Inject(ShippingMethodsService) readonly methods: ShippingMethodsService) {}
}

@Module({ providers: [Sibling] })
class SiblingModule {}

@Injectable()
class OptionsFactory implements ShippingOptionsFactory {
  create(): ShippingFactoryOptions {
    return { maxPageSize: 7 };
  }
}

@Module({ providers: [OptionsFactory], exports: [OptionsFactory] })
class ConfigModule {}

describe('the options', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it.each([
    ['defaultsProjectId', { defaultsProjectId: 'no spaces' }],
    ['maxPageSize', { maxPageSize: 0 }],
    ['maxPageSize', { maxPageSize: 101 }],
    ['maxPageSize', { maxPageSize: 1.5 }],
    ['maxMethods', { maxMethods: 0 }],
    ['maxMethods', { maxMethods: 10_001 }],
    ['cache', { cache: true }],
    ['cache', { cache: { maxBytes: -1 } }],
    ['cache', { cache: { maxBytes: 1, ttl: 5 } }],
    ['cache', { cache: { maxBytes: '32 MB' } }],
    ['defaultProject', { defaultProject: 'x' }],
    ['http.path', { http: { path: 'api/shipping' } }],
    ['http.path', { http: { path: 'api/:shop/:tenant' } }],
    ['http.path', { http: { path: 'api/:order_id' } }],
    ['http.path', { http: { path: 'api/:project_id/:method_id' } }],
    ['http.path', { http: { path: 'api/x:project_id/orders' } }],
    ['http.path', { http: { path: 'orgs/:org/shop-:project_id' } }],
    ['http.path', { http: { path: 'orgs/:org/:project-id' } }],
    ['http.path', { http: { path: 'orgs/:org/:project_id.v1' } }],
    ['http.path', { http: { path: 'orgs/:org/{:project_id}' } }],
    ['http.path', { http: { path: 'orgs/:org/*project_id' } }],
    ['http.path', { http: { path: String.raw`orgs/:org/:project_id(^\d+$)` } }],
    ['http.version', { http: { version: 1 } }],
    ['http.routeDecorators', { http: { routeDecorators: { lists: [] } } }],
    ['http.decorators', { http: { decorators: UseGuards() } }],
    ['http.decorators', { http: { decorators: [{}] } }],
    ['http.routeDecorators.list', { http: { routeDecorators: { list: ['guard'] } } }],
    ['http', { http: true }],
    ['entityManager', { entityManager: 'ambient' }],
    ['beforeCommit', { beforeCommit: () => undefined }],
    ['beforeCommit.change', { beforeCommit: { change: 'write' } }],
    ['beforeCommit.event', { beforeCommit: { event: {} } }],
    ['beforeCommit.changes', { beforeCommit: { changes: () => Promise.resolve() } }],
    ['http.decorators', { http: { decorators: [class JwtGuard {}] } }],
    ['http.routeDecorators', { http: { routeDecorators: null } }],
    ['http.routeDecorators', { http: { routeDecorators: UseGuards() } }],
    ['http.problemDetails', { http: { problemDetails: 'no' } }],
    ['isGlobal', { isGlobal: 'no' }],
    ['http.guards', { http: { guards: [] } }],
    ['imports', { imports: ConfigModule }],
    ['dataSource', { dataSource: { name: 'shop' } }],
  ])(
    '%s: %j is refused at boot, and the error names the option and what it may be',
    async (option, options) => {
      const boot = async (): Promise<unknown> =>
        compiled([typeOrm(database), ShippingModule.forRoot(options as ShippingModuleOptions)]);

      const error = await boot().then(() => 'booted', String);

      expect(error).toMatch(
        new RegExp(`ShippingModule option "${option}\\S*" .*(must|The options are) .*\\.$`),
      );
    },
  );

  it.each([
    { maxPageSize: 1, maxMethods: 1, cache: { maxBytes: 0 } },
    { maxPageSize: 100, maxMethods: 10_000 },
  ])('may be at their bounds: %j is accepted', async (options) => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot(options)]);

    const list = testing.get(ShippingMethodsService).list('p');

    expect((await list).meta.per_page).toBe(Math.min(20, options.maxPageSize));
  });

  it('that are undefined have their defaults', async () => {
    const names = [
      'isGlobal',
      'dataSource',
      'imports',
      'http',
      'defaultsProjectId',
      'maxPageSize',
      'maxMethods',
    ];
    const all = names.concat('cache', 'entityManager', 'beforeCommit');
    const options = Object.fromEntries(all.map((name) => [name, undefined]));
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot(options)]);

    const list = testing.get(ShippingMethodsService).list('p', { per_page: 101 });

    await expect(list).rejects.toThrow('per_page must be 1 to 100');
  });

  it('that are unknown and undefined are left out', () => {
    const options: object = { datasource: undefined };

    expect(ShippingModule.forRoot(options)).toMatchObject({ module: ShippingModule });
  });

  it('that are unknown are refused, and the error names all options', () => {
    const options: object = { datasource: 'shop' };

    expect(() => ShippingModule.forRoot(options)).toThrow(
      'ShippingModule option "datasource" is unknown here. The options are isGlobal, dataSource, imports, http, ' +
        'defaultsProjectId, maxPageSize, maxMethods, cache, beforeCommit, entityManager.',
    );
  });

  it('that are unknown in http are refused without the options that stand beside a factory', () => {
    const http: object = { guards: [] };

    expect(() => ShippingModule.forRoot({ http })).toThrow(/decorators, problemDetails, routeDecorators\.$/);
  });

  it('of forRootAsync() need one factory', () => {
    const none = { isGlobal: true } as ShippingModuleAsyncOptions;
    const two = { useFactory: () => ({}), useClass: class {} } as never;
    const error = 'needs one of useFactory, useClass and useExisting';

    expect(() => ShippingModule.forRootAsync(none)).toThrow(error);
    expect(() => ShippingModule.forRootAsync(two)).toThrow(error);
  });

  it.each<unknown>([null, 5, 'options', UseGuards()])(
    'of forRoot() must be an object: %j is refused',
    (options) => {
      expect(() => ShippingModule.forRoot(options as ShippingModuleOptions)).toThrow(
        /^The options of ShippingModule are .*, but must be an object\./,
      );
    },
  );

  it.each(['beforeCommit', 'maxMethods', 'isglobal'])(
    'beside a factory are refused, because Nest would ignore them: %s',
    (option) => {
      const shipping = (): unknown => ShippingModule.forRootAsync({ useFactory: () => ({}), [option]: 1 });

      expect(shipping).toThrow(
        `ShippingModule option "${option}" is unknown here. The options are useFactory,`,
      );
    },
  );

  it.each([
    ['useFactory', { inject: [OptionsFactory], useFactory: (factory: OptionsFactory) => factory.create() }],
    ['useClass', { useClass: OptionsFactory }],
    ['useExisting', { useExisting: OptionsFactory }],
  ])('may come from %s', async (_name, options) => {
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRootAsync({ imports: [ConfigModule], isGlobal: true, http: false, ...options }),
      SiblingModule,
    ]);

    const list = testing.get(Sibling, { strict: false }).methods.list('p', { per_page: 8 });
    await expect(list).rejects.toThrow('per_page must be 1 to 7');
  });

  it.each([
    ['http', { http: false }],
    ['isGlobal', { isGlobal: true }],
    ['dataSource', { dataSource: 'shop' }],
  ])(
    '%s is static: a factory that returns it is refused, and the error says where to put it',
    async (option, made) => {
      const shipping = ShippingModule.forRootAsync({ useFactory: () => made as object });

      const boot = compiled([typeOrm(database), shipping]);

      await expect(boot).rejects.toThrow(
        new RegExp(`^ShippingModule option "${option}" is unknown here.*${option}.* stand beside useFactory`),
      );
    },
  );

  it.each<unknown>([undefined, null, 'default'])(
    'must be an object: a factory that returns %j is refused',
    async (made) => {
      const shipping = ShippingModule.forRootAsync({
        useFactory: () => made as ShippingFactoryOptions,
      });

      const boot = compiled([typeOrm(database), shipping]);

      await expect(boot).rejects.toThrow(
        /^The options of ShippingModule are (undefined|null|'default'), but must be an object\./,
      );
    },
  );

  it('without isGlobal give no services to a sibling that does not import the module', async () => {
    const boot = compiled([typeOrm(database), ShippingModule.forRoot(), SiblingModule]);

    await expect(boot).rejects.toThrow(/ShippingMethodsService.*SiblingModule/s);
  });

  it('cannot be left out: the error for a bare import says what to write', async () => {
    const boot = compiled([typeOrm(database), ShippingModule.forRoot(), ShippingModule]);

    await expect(boot).rejects.toThrow(
      /imported without forRoot\(\)\..*ShippingModule\.forRoot\(\).*isGlobal: true/,
    );
  });
});
