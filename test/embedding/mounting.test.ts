import { AsyncLocalStorage } from 'node:async_hooks';
import { type IncomingMessage } from 'node:http';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  RequestMethod,
  SetMetadata,
  UseGuards,
  VersioningType,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { OrderEvent, OrderEvents, ShippingMethods, ShippingModule, ShippingProject } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { from, lastValueFrom } from 'rxjs';
import { type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const contractPath = 'api/projects/:project_id/sales/orders';

@Injectable()
class Keys {
  readonly accepted = 'letmein';
}

@Module({ providers: [Keys], exports: [Keys] })
class AuthModule {}

@Injectable()
class KeyGuard implements CanActivate {
  constructor(@Inject(Keys) private readonly keys: Keys) {}

  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest().headers['x-key'] === this.keys.accepted;
  }
}

@Injectable()
class DenyByDefault implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    return this.reflector.getAllAndOverride('public', [context.getHandler(), context.getClass()]) === true;
  }
}

describe('a host', () => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(async () => {
    await host?.app.close();
    host = undefined;
    await database.close();
  });

  const keepsTheContract = async (target: Omit<ContractTarget, 'orderEvents'>): Promise<void> => {
    const orderEvents = host?.app.get(OrderEvents);
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
    'that rewrites paths on %s gets a Location below the path that the client sent',
    async (platform) => {
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
      const rewritten = (url = ''): string => url.replace(/^\/shop(?=\/)/, '');
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
      const list = await shop.list('q=none');

      expect([status, list.status, list.body.data]).toEqual([201, 200, []]);
      expect(headers.get('location')).toBe(`/shop${shop.base}/shipments/methods/${body.id}`);
    },
  );

  it('with a defaults project of its own keeps the contract, in the projects that it names', async () => {
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ defaultsProjectId: 'base' }),
    ]);
    host = await listening(testing);
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

    const { manager } = database.dataSource;
    const rows = [...(await manager.find(ShippingProject)), ...(await manager.find(OrderEvent))];
    const used = rows.map((row) => row.projectId);
    expect(named).toEqual(expect.arrayContaining(used));
    expect(used).toContain('base');
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

  it('can guard the routes with a guard that has dependencies', async () => {
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ imports: [AuthModule], http: { decorators: [UseGuards(KeyGuard)] } }),
    ]);

    host = await listening(testing);

    expect((await new Client(host.origin, 'p').list()).status).toBe(403);
    await keepsTheContract({ origin: host.origin, headers: { 'x-key': 'letmein' } });
  });

  it('that denies by default can open single routes by their metadata', async () => {
    const open = [SetMetadata('public', true)];
    const testing = await compiled(
      [
        typeOrm(database),
        ShippingModule.forRoot({ http: { routeDecorators: { list: open, events: open } } }),
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

  it('that runs each request in its own transaction gets complete answers from that transaction', async () => {
    const ambient = new AsyncLocalStorage<EntityManager>();
    const { dataSource } = database;
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ entityManager: () => ambient.getStore() }),
    ]);
    let committed: Promise<unknown> = Promise.resolve();
    const inTransaction: NestInterceptor = {
      intercept: (_context, next) => {
        const answer = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
        committed = dataSource.transaction((manager) => ambient.run(manager, answer));
        return from(committed);
      },
    };
    host = await listening(testing, (app) => app.useGlobalInterceptors(inTransaction));
    const shop = new Client(host.origin, freshProject());
    await addEvents(dataSource.manager, { projectId: shop.project, orderId: 'long' }, 1000);

    const { status, body } = await shop.events('long');
    const { headers } = await shop.list();
    const again = await shop.list('', { 'if-none-match': headers.get('etag') ?? '' });

    expect([status, body.data.length]).toEqual([200, 1000]);
    expect(again.status).toBe(304);
    await committed;
  });

  it('that wants only the services has no routes', async () => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);

    host = await listening(testing);
    const method = await host.app.get(ShippingMethods).create('p', ground);

    expect(method.version).toBe(1);
    expect((await new Client(host.origin, 'p').list()).status).toBe(404);
  });

  it('may mount the module twice, and the two mounts are separate', async () => {
    const second = await testDatabase();
    const guarded = { decorators: [UseGuards(KeyGuard)], path: `admin/${contractPath}` };
    const testing = await compiled([
      typeOrm(database),
      typeOrm(second, 'second'),
      ShippingModule.forRoot({ defaultsProjectId: 'one' }),
      ShippingModule.forRoot({
        dataSource: 'second',
        imports: [AuthModule],
        http: guarded,
        defaultsProjectId: 'two',
      }),
    ]);

    host = await listening(testing);
    const shop = new Client(host.origin, freshProject());
    await shop.create(ground);
    const admin = `/admin${shop.base}/shipments/methods`;
    const [closed, open] = await Promise.all([
      shop.send('GET', admin),
      shop.send<{ data: unknown[] }>('GET', admin, undefined, { 'x-key': 'letmein' }),
    ]);

    expect(closed.status).toBe(403);
    expect(open.body.data).toEqual([]);
    expect((await shop.list()).body.data).toHaveLength(1);
    await host.app.close();
    host = undefined;
    await second.close();
  });
});
