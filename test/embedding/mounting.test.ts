import { type IncomingMessage } from 'node:http';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  RequestMethod,
  Scope,
  SetMetadata,
  VersioningType,
} from '@nestjs/common';
import { APP_GUARD, Reflector, REQUEST } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  OrderEvent,
  OrderEventsService,
  type ShippingMethodDto,
  ShippingMethodsService,
  ShippingModule,
  ShippingProject,
} from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const contractPath = 'api/projects/:project_id/sales/orders';

@Injectable()
class DenyByDefault implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride('permission', targets) === 'shipping:read';
  }
}

@Injectable({ scope: Scope.REQUEST })
class OptionsOfRequest {
  create = () => ({});
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientOptions {
  create = () => ({});
}

describe('a host', () => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  // The embedded database has one connection for all hosts: closing the app would close it too.
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(() => database?.close());

  const keepsTheContract = async (target: Omit<ContractTarget, 'orderEvents'>): Promise<void> => {
    const orderEvents = host?.app.get(OrderEventsService);
    for (const { run } of shippingContract(() => ({ ...target, orderEvents }))) await run();
  };

  it('with a global prefix keeps the paths of the contract when it sets http.path', async () => {
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ http: { path: 'projects/:project_id/sales/orders' } }),
    ]);

    host = await listening(testing, (app) => app.setGlobalPrefix('api'));

    await keepsTheContract({ origin: host.origin });
  });

  it.each([
    ['URI', { type: VersioningType.URI, defaultVersion: '1' } as const],
    ['header', { type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' } as const],
  ])(
    'with %s versioning and a default version keeps the paths of the contract',
    async (_name, versioning) => {
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);

      host = await listening(testing, (app) => app.enableVersioning(versioning));

      await keepsTheContract({ origin: host.origin });
    },
  );

  it.each(platformNames)(
    'that rewrites addresses on %s gets a Location below the path of the client, and its query',
    async (platform) => {
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
      const rewritten = (url = ''): string => url.replace(/^\/shop(?=\/)/, '').replace('?nothing', '?q=none');
      const adapter =
        platform === 'Express'
          ? new ExpressAdapter()
          : new FastifyAdapter({ rewriteUrl: ({ url }: IncomingMessage) => rewritten(url) });
      const app = testing.createNestApplication(adapter, { logger: ['error', 'warn'] });
      if (platform === 'Express') {
        app.use((request: { url: string }, _response: unknown, next: () => void) => {
          request.url = rewritten(request.url);
          next();
        });
      }
      await app.listen(0, '127.0.0.1');
      host = { app, origin: (await app.getUrl()).replace('[::1]', '127.0.0.1') };
      const shop = new Client(`${host.origin}/shop`, freshProject());

      const { status, headers, body } = await shop.create(ground);
      const list = await shop.list('nothing');

      expect([status, list.status, list.body.data]).toEqual([201, 200, []]);
      expect(headers.get('location')).toBe(`/shop${shop.base}/shipments/methods/${body.id}`);
    },
  );

  it('with another defaults project keeps the contract', async () => {
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ defaultsProjectId: 'base' }),
    ]);
    host = await listening(testing);
    const { manager } = database.dataSource;
    const projects = async (): Promise<string[]> => {
      const rows = [...(await manager.find(ShippingProject)), ...(await manager.find(OrderEvent))];
      return rows.map((row) => row.projectId);
    };
    const before = new Set(await projects());
    const named = ['base'];
    const projectId = (): string => {
      named.push(freshProject());
      return named.at(-1) ?? '';
    };

    await keepsTheContract({
      origin: host.origin,
      path: `/${contractPath}`,
      defaultsProjectId: 'base',
      projectId,
    });

    const used = (await projects()).filter((project) => !before.has(project));
    expect(named).toEqual(expect.arrayContaining(used));
    expect(used).toContain('base');
  });

  it.each(platformNames)('on %s may give the parameter of the project another name', async (platform) => {
    const path = 'organizations/:organizationId/shipping';
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: { path } })]);
    host = await listening(testing, () => undefined, platform);
    const { origin } = host;
    const project = freshProject();
    const shop = new Client(origin, project);
    const base = `/organizations/${project}/shipping`;
    const long = 'x'.repeat(65);

    const created = await shop.send<ShippingMethodDto>('POST', `${base}/shipments/methods`, ground);
    const events = await shop.send('GET', `${base}/o/events`);
    const refused = await shop.send('PATCH', `/organizations/${long}/shipping/shipments/methods/x`, {});

    expect([created.status, created.body.project_id, events.status]).toEqual([201, project, 200]);
    expect(created.headers.get('location')).toBe(`${base}/shipments/methods/${created.body.id}`);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        code: 'invalid_parameter',
        errors: [
          {
            parameter: 'organizationId',
            code: 'length',
            detail: 'organizationId must have at most 64 characters, not 65.',
          },
          { pointer: '/carrier_code' },
          { pointer: '/method_code' },
          { pointer: '/method_label' },
        ],
      },
    ]);
  });

  it('may put the routes under a version and a path of its own', async () => {
    const path = 'tenants/:project_id/logistics';
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ http: { path, version: '2' } }),
    ]);

    host = await listening(testing, (app) => {
      app.setGlobalPrefix('x', { exclude: [{ path: 'none', method: RequestMethod.GET }] });
      app.enableVersioning({ type: VersioningType.URI });
    });

    await keepsTheContract({ origin: host.origin, path: `x/v2/${path}` });
    expect((await new Client(host.origin, 'p').list()).status).toBe(404);
  });

  it('that denies by default lets in who has the permission of a single route', async () => {
    const readers = [SetMetadata('permission', 'shipping:read')];
    const testing = await compiled(
      [
        typeOrm(database),
        ShippingModule.forRoot({ http: { routeDecorators: { list: readers, events: readers } } }),
      ],
      { providers: [{ provide: APP_GUARD, useClass: DenyByDefault }] },
    );

    host = await listening(testing);
    const shop = new Client(host.origin, freshProject());

    expect((await shop.list()).status).toBe(200);
    expect((await shop.events('o')).status).toBe(200);
    expect((await shop.tree()).status).toBe(403);
    expect((await shop.create(ground)).status).toBe(403);
  });

  it.each<[of: string, options: (path: string) => Parameters<typeof ShippingModule.forRootAsync>[0]]>([
    ['the request', (path) => ({ http: { path }, inject: [REQUEST], useFactory: () => ({}) })],
    ['a request-scoped class', (path) => ({ http: { path }, useClass: OptionsOfRequest })],
  ])('whose options depend on %s is refused at boot, also beside another mount', async (_of, options) => {
    const path = 'second/:project_id';
    const mounts = [
      [ShippingModule.forRootAsync(options(path))],
      [ShippingModule.forRoot(), ShippingModule.forRootAsync(options(path))],
      [ShippingModule.forRootAsync(options(path)), ShippingModule.forRoot()],
    ];

    for (const imports of mounts) {
      const testing = await compiled([typeOrm(database), ...imports]);

      await expect(testing.createNestApplication().init()).rejects.toThrow(
        'depend on a request-scoped provider. But ShippingModule reads them once',
      );
    }
  });

  it('may make its options with a transient provider', async () => {
    const shipping = ShippingModule.forRootAsync({ useClass: TransientOptions });
    const testing = await compiled([typeOrm(database), shipping]);

    host = await listening(testing);

    expect((await new Client(host.origin, freshProject()).list()).status).toBe(200);
  });

  it('with http: false has the services and no routes', async () => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);

    host = await listening(testing);
    const method = await host.app.get(ShippingMethodsService).create('p', ground);

    expect(method.version).toBe(1);
    expect((await new Client(host.origin, 'p').list()).status).toBe(404);
  });
});
