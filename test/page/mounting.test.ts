import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  type NestInterceptor,
  Scope,
  SetMetadata,
  UseGuards,
  VersioningType,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Reflector } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { type ShippingPageAsyncOptions, ShippingPageModule } from 'nestjs-shipping/page';
import { map, type Observable } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { platformNames } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { pageHost, type PageHost, type PageHostOptions } from './page-host.js';

/** Refuses a request without a cookie, and reads the metadata of the handler. */
class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const isPublic = new Reflector().get<boolean>('public', context.getHandler());
    return isPublic || context.switchToHttp().getRequest<Request>().headers['cookie'] !== undefined;
  }
}
type Request = { headers: Record<string, string | undefined> };

@Injectable({ scope: Scope.REQUEST })
class RequestScopedGuard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

class Envelope implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

@Injectable()
class ShopNames {
  of(user = 'nobody'): string {
    return `Shop of ${user}`;
  }
}

@Module({ providers: [ShopNames], exports: [ShopNames] })
class ShopModule {}

interface Seen {
  status: number;
  headers: Headers;
  text: string;
  meta: { routes: string; defaults: string; projects?: unknown };
  /** The addresses of the style and the script. */
  assets: string[];
}

/** No test here stores anything. */
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

describe.each(platformNames)('the page on %s', (platform) => {
  let host: PageHost | undefined;
  afterEach(async () => {
    await host?.close();
    host = undefined;
  });

  async function start(options: PageHostOptions = {}): Promise<void> {
    host = await pageHost({ ...options, platform, database });
  }

  async function get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    const response = await fetch(`${host?.origin}${path}`, { headers });
    const text = await response.text();
    const [, content = '{}'] = /name="shipping-page" content="(.*?)"/.exec(text) ?? [];
    const assets = [...text.matchAll(/(?:href|src)="(\.\/.*?)"/g)].map(
      ([, address = '']) => new URL(address, response.url).pathname,
    );
    const { status, headers: received } = response;
    return {
      status,
      headers: received,
      text,
      meta: JSON.parse(content.replaceAll('&quot;', '"')) as Seen['meta'],
      assets,
    };
  }

  it('is a page with a strict policy, and its files have hashes in their names and never expire', async () => {
    await start();
    const page = await get('/shipping');

    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.assets).toHaveLength(2);
    for (const path of page.assets) {
      const { status, headers, text } = await get(path);
      expect(path).toMatch(/^\/shipping\/assets\/page-[0-9a-f]{12}\.(css|js)$/);
      expect([status, headers.get('cache-control')]).toEqual([200, 'private, max-age=31536000, immutable']);
      expect(headers.get('content-type')).toBe(
        path.endsWith('js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(text.length).toBeGreaterThan(10_000);
    }
    expect((await get('/shipping/assets/page-000000000000.js')).status).toBe(404);
    expect((await get('/shipping/assets/..%2F..%2Fpackage.json')).status).toBe(404);
  });

  it('applies the decorators of the host to the page and to its files', async () => {
    await start({ page: { decorators: [UseGuards(StaffGuard)] } });
    const { assets } = await get('/shipping', { cookie: 'session=1' });

    const refused = await Promise.all(['/shipping', ...assets].map((path) => get(path)));
    const allowed = await Promise.all(assets.map((path) => get(path, { cookie: 'session=1' })));

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(allowed.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('keeps its guard below a decorator that replaces the handler, as the routes do', async () => {
    const wrap = (_target: object, _name: string | symbol, descriptor: PropertyDescriptor): void => {
      const { value } = descriptor as { value: (...parameters: unknown[]) => unknown };
      descriptor.value = function (this: unknown, ...parameters: unknown[]) {
        return value.apply(this, parameters);
      };
    };
    await start({ page: { decorators: [UseGuards(StaffGuard), wrap] } });

    const statuses = [await get('/shipping'), await get('/shipping', { cookie: 'session=1' })];

    expect(statuses.map(({ status }) => status)).toEqual([403, 200]);
  });

  it('works with a guard that Nest makes for each request', async () => {
    await start({ page: { decorators: [UseGuards(RequestScopedGuard)] } });

    expect((await get('/shipping')).status).toBe(200);
  });

  it('sends only the id and the label of a project', async () => {
    const project = { id: 'acme', label: 'Acme', apiKey: 'secret' };
    await start({ page: { projects: () => [project] } });

    expect((await get('/shipping')).meta.projects).toEqual([{ id: 'acme', label: 'Acme' }]);
  });

  it('leads to the routes of the chosen project, even if its own path has a project', async () => {
    await start({
      mounts: [{ http: { path: 'projects/:project_id/sales/orders' } }],
      page: { path: 'projects/:project_id/shipping' },
    });

    const { meta } = await get('/projects/acme/shipping?project=globex');

    expect(meta.routes).toBe('../../{project}/sales/orders');
  });

  it('is opened by metadata where a global guard refuses everything else', async () => {
    const configure: PageHostOptions['configure'] = (app) => app.useGlobalGuards(new StaffGuard());
    await start({ page: { decorators: [SetMetadata('public', true)] }, configure });

    expect((await get('/shipping')).status).toBe(200);
  });

  it('is not put into an envelope by a global interceptor', async () => {
    await start({ configure: (app) => app.useGlobalInterceptors(new Envelope()) });

    const { text, assets } = await get('/shipping');

    expect(text).toMatch(/^<!doctype html>/);
    expect((await get(assets[1] ?? '')).text).not.toMatch(/^\{"data"/);
  });

  it('replaces the policy that a middleware has set', async () => {
    const policy = (_request: unknown, response: Response, next: () => void): void => {
      response.setHeader('Content-Security-Policy', "script-src 'none'");
      next();
    };
    interface Response {
      setHeader(name: string, value: string): void;
    }
    await start({
      page: { frameAncestors: ["'self'", 'https://admin.example'] },
      configure: (app) => app.use(policy),
    });

    const { headers } = await get('/shipping');

    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'.* frame-ancestors 'self' https:\/\/admin\.example;/,
    );
  });

  it('is hidden from the OpenAPI document of the host', async () => {
    await start();
    const document = SwaggerModule.createDocument(
      (host as PageHost).app,
      new DocumentBuilder().setTitle('Shop').build(),
    );

    expect(Object.keys(document.paths).filter((path) => !path.startsWith('/api/projects/'))).toEqual([]);
    expect(Object.keys(document.paths)).toHaveLength(4);
  });

  const routes = 'api/projects/{project}/sales/orders';
  it.each<[string, PageHostOptions, path: string, routes: string]>([
    ['without options', {}, '/shipping', `../${routes}`],
    [
      'in a folder',
      { page: { path: '/staff/tools/shipping/' } },
      '/staff/tools/shipping',
      `../../../${routes}`,
    ],
    ['at the root', { page: { path: '' } }, '/', routes],
    [
      'in the folder of the routes',
      { page: { path: 'api/shipping' } },
      '/api/shipping',
      `../${routes.slice(4)}`,
    ],
    [
      'below a global prefix',
      { configure: (app) => app.setGlobalPrefix('backend') },
      '/backend/shipping',
      `../${routes}`,
    ],
    [
      'with a URI version of its own',
      {
        page: { version: '2', routes: '../api/projects/:project_id/sales/orders' },
        configure: (app) => app.enableVersioning({ type: VersioningType.URI }),
      },
      '/v2/shipping',
      `../../${routes}`,
    ],
    [
      'beside routes with a URI version',
      {
        mounts: [{ http: { version: '1' } }],
        page: { routes: 'v1/api/projects/:project_id/sales/orders' },
        configure: (app) => app.enableVersioning({ type: VersioningType.URI }),
      },
      '/shipping',
      `../v1/${routes}`,
    ],
    [
      'for one of several mounts',
      {
        mounts: [{}, { http: { path: 'partners/:partner/shipping' } }],
        page: { routes: 'partners/:partner/shipping' },
      },
      '/shipping',
      '../partners/{project}/shipping',
    ],
    [
      'with a parameter that the routes have, too',
      {
        mounts: [{ http: { path: ':region/projects/:project_id' } }],
        page: { path: ':region/shipping' },
      },
      '/eu/shipping',
      '../projects/{project}',
    ],
  ])('finds the routes: %s', async (_where, options, path, expected) => {
    await start(options);

    const { status, meta, assets } = await get(path);

    expect([status, meta.routes]).toEqual([200, expected]);
    const folder = path === '/' ? '' : path;
    const found = new URL(
      `${expected.replace('{project}', 'acme')}/shipments/methods`,
      `http://host${folder}/`,
    );
    expect((await get(found.pathname)).status).toBe(200);
    expect((await get(assets[0] ?? '')).status).toBe(200);
  });

  it('knows the settings of the longest path, if the paths of two mounts end alike', async () => {
    const short = { http: { path: 'shops/:project_id' }, defaultsProjectId: 'short' };
    const long = { http: { path: 'staff/shops/:project_id' }, defaultsProjectId: 'long' };
    await start({ mounts: [short, long], page: { routes: 'staff/shops/:project_id' } });

    expect((await get('/shipping')).meta).toMatchObject({ defaults: 'long' });
  });

  it('has relative addresses that also work after a final slash', async () => {
    await start();
    const { status, assets } = await get('/shipping/');

    // Fastify has another route with a final slash, so it responds with 404, and there are no addresses.
    expect(status).toBe(platform === 'Fastify' ? 404 : 200);
    for (const address of assets) expect((await get(address)).status).toBe(200);
  });

  it('knows the settings of the mount, and the projects that the host offers to this user', async () => {
    await start({
      mounts: [{ defaultsProjectId: 'base' }],
      page: {
        projects: ({ headers }: Request) => [
          { id: headers['x-user'] ?? '', label: '"><script>alert(1)</script>' },
        ],
      },
    });

    const { meta, text } = await get('/shipping', { 'x-user': 'acme' });

    expect(meta).toMatchObject({ defaults: 'base', projects: [{ id: 'acme' }] });
    expect(text).not.toContain('<script>');
  });

  it.each([undefined, 'api/projects/:project_id/sales/orders'])(
    'knows the settings of the mount that has its version, if two mounts have one path: routes %s',
    async (path) => {
      await start({
        mounts: [{ http: { version: '1' } }, { http: { version: '2' }, defaultsProjectId: 'base' }],
        page: { version: '2', ...(path !== undefined && { routes: path }) },
        configure: (app) => app.enableVersioning({ type: VersioningType.URI }),
      });

      expect((await get('/v2/shipping')).meta).toMatchObject({ defaults: 'base' });
    },
  );
});

describe('the options of the page', () => {
  const boot = (options: PageHostOptions): Promise<string> =>
    pageHost({ ...options, database }).then(
      (host) => host.close().then(() => 'booted'),
      ({ message }: Error) => message,
    );

  it.each<[string, PageHostOptions, string]>([
    [
      'no routes',
      { mounts: [{ http: false }] },
      'found no routes. Import ShippingModule.forRoot() with routes',
    ],
    [
      'several mounts',
      { mounts: [{}, { http: { path: 'partners/:partner' } }] },
      'needs the option "routes" with the http.path of one mount: api/projects/:project_id/sales/orders, partners/:partner.',
    ],
    [
      'routes of another version',
      { mounts: [{ http: { version: '1' } }] },
      'option "routes" with the path from the page to the routes, such as "v1/api/projects/:project_id/sales/orders".',
    ],
    [
      'a version that the routes do not have',
      { page: { version: '1' } },
      'such as "../api/projects/:project_id/sales/orders".',
    ],
    ['another path', { page: { routes: 'other' } }, 'at "shipping" needs the option "routes"'],
    [
      'a parameter that nobody fills in',
      { mounts: [{ http: { path: ':region/:project_id' } }] },
      'cannot fill in ":region"',
    ],
  ])('lead to an error at boot that says what to do: %s', async (_what, options, message) => {
    expect(await boot(options)).toContain(message);
  });

  it('may come from a factory, whose projects ask a service of the host', async () => {
    const page = ShippingPageModule.forRootAsync({
      path: 'staff',
      decorators: [UseGuards(StaffGuard)],
      imports: [ShopModule],
      inject: [ShopNames],
      useFactory: (names: ShopNames) => ({
        projects: ({ headers }: Request) => [{ id: 'acme', label: names.of(headers['x-user']) }],
      }),
    });
    const host = await pageHost({ page, database });
    const refused = await fetch(`${host.origin}/staff`);
    const headers = { cookie: 'session=1', 'x-user': 'sam' };
    const text = await (await fetch(`${host.origin}/staff`, { headers })).text();
    await host.close();

    expect(refused.status).toBe(403);
    expect(text).toContain(
      '&quot;projects&quot;:[{&quot;id&quot;:&quot;acme&quot;,&quot;label&quot;:&quot;Shop of sam&quot;}]',
    );
  });

  it.each<[made: object, message: string]>([
    [
      { path: 'staff' },
      '"path" is unknown here. The options are routes, login, signInUrl, csrf, projects, frameAncestors, texts.',
    ],
    [{ paht: 'staff' }, 'path, version, decorators, imports stand beside useFactory'],
    [{ login: 'basic' }, 'option "login" is \'basic\', but'],
  ])('are checked when a factory returns them: %j', async (made, message) => {
    expect(await boot({ page: ShippingPageModule.forRootAsync({ useFactory: () => made }) })).toContain(
      message,
    );
  });

  it.each<[options: object, message: string]>([
    [{}, 'ShippingPageModule.forRootAsync() needs one of useFactory, useClass and useExisting.'],
    [{ useFactory: () => ({}), login: 'bearer' }, 'ShippingPageModule option "login" is unknown here.'],
  ])('are checked beside a factory, too: %j', (options, message) => {
    expect(() => ShippingPageModule.forRootAsync(options as ShippingPageAsyncOptions)).toThrow(message);
  });

  it('must come from forRoot()', async () => {
    const testing = Test.createTestingModule({ imports: [ShippingPageModule] });

    await expect(testing.compile()).rejects.toThrow('ShippingPageModule was imported without forRoot().');
  });

  it.each<[page: object, message: string]>([
    [{ paht: 'x' }, 'ShippingPageModule option "paht" is unknown here. The options are path, version,'],
    [{ decorators: [StaffGuard] }, 'but decorators must be an array of decorators, for instance [UseGuards('],
    [
      { decorators: [Injectable() as MethodDecorator] },
      'ShippingPageModule option "decorators" has a decorator that works only on classes, or that replaces the handler "page"',
    ],
    [{ version: [] }, 'option "version" is'],
    [{ login: 'basic' }, 'option "login" is \'basic\', but'],
    [{ csrf: { cookie: 'x' } }, 'option "csrf" is'],
    [{ frameAncestors: ["'self'; script-src *"] }, 'option "frameAncestors" is'],
    [{ frameAncestors: ['https://größe.example'] }, 'option "frameAncestors" is'],
    [{ frameAncestors: "'self'" }, 'but frameAncestors must be an array of texts such as "\'self\'"'],
  ])('are checked: %j', async (page, message) => {
    expect(await boot({ page })).toContain(message);
  });
});
