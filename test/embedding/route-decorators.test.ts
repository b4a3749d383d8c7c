import {
  applyDecorators,
  type ArgumentsHost,
  type CanActivate,
  Catch,
  ConflictException,
  type ExceptionFilter,
  Header,
  HttpCode,
  type NestInterceptor,
  type PipeTransform,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ShippingHttpError, type ShippingRoute } from 'nestjs-shipping';
import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';
import { platformNames } from './host.js';
import { hostsInTurn } from './hosts-in-turn.js';
import { around, type Wrap, wrapping } from './route-wrapper.js';

/** A decorator can replace the function in the descriptor, or return a new descriptor. */
const ways: [way: string, (wrap: Wrap) => MethodDecorator][] = [
  ['sets the value of the descriptor', wrapping],
  [
    'returns a new descriptor',
    (wrap) => (_target, _key, descriptor) => ({
      configurable: true,
      value: around(descriptor.value, wrap) as typeof descriptor.value,
    }),
  ],
];

class Closed implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Catch(ConflictException)
class ConflictFilter implements ExceptionFilter {
  catch(): void {}
}

@Catch(ShippingHttpError)
class TeapotFilter implements ExceptionFilter {
  catch(_exception: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<{ status(code: number): { send(): unknown } }>().status(418).send();
  }
}

describe.each(platformNames)('a route decorator on %s', (platform) => {
  const hosts = hostsInTurn(platform);
  type RouteDecorators = Partial<Record<ShippingRoute, MethodDecorator[]>>;
  const mounted = (routeDecorators: RouteDecorators, decorators: MethodDecorator[] = []) =>
    hosts.start({ shipping: { http: { routeDecorators, decorators } } });

  it.each(ways)('that %s is called on each route, and its responses are whole', async (_way, decorator) => {
    const called: string[] = [];
    const noted = (route: string): MethodDecorator[] => [
      decorator((next) => {
        called.push(route);
        return next();
      }),
    ];
    const routes = ['create', 'list', 'tree', 'update', 'remove', 'events'] as const;
    const shop = await mounted(Object.fromEntries(routes.map((route) => [route, noted(route)])));

    const created = await shop.create(ground);
    const responses = [
      created,
      await shop.list(),
      await shop.tree(),
      await shop.update(created.body.id, ground),
      await shop.remove(created.body.id),
      await shop.events('o'),
    ];

    expect(called).toEqual(routes);
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 200, 204, 200]);
    expect(responses[1]?.body).toMatchObject({ data: [ground] });
  });

  it('that sends the COMMIT and loses the connection leads to outcome_unknown', async () => {
    const broken = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    const transactional = wrapping(async (next) => {
      await next();
      throw new QueryFailedError('COMMIT', [], broken);
    });
    const shop = await mounted({ create: [transactional] });
    hosts.app.useLogger(false);

    const { status, body } = await shop.create(ground);

    expect([status, body.code]).toEqual([503, 'outcome_unknown']);
  });

  it('whose own query fails after the commit gives its own error, not a change of nothing', async () => {
    const broken = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    const auditing = wrapping(async (next) => {
      await next();
      throw new QueryFailedError('INSERT INTO audit VALUES (1)', [], broken);
    });
    const shop = await mounted({ create: [auditing] });
    hosts.app.useLogger(false);

    const { status, body } = await shop.create(ground);

    expect([status, body.code]).toEqual([500, undefined]);
    expect((await shop.list()).body.meta.total).toBe(1);
  });

  it('that sets a status changes our successes, but no error and no 304', async () => {
    const routes = ['create', 'list', 'tree', 'update', 'remove', 'events'] as const;
    const shop = await mounted(Object.fromEntries(routes.map((route) => [route, [HttpCode(202)]])));

    const created = await shop.create(ground);
    const list = await shop.list();
    const responses = [
      created,
      list,
      await shop.list('', { 'if-none-match': list.headers.get('etag') ?? '' }),
      await shop.tree(),
      await shop.update(created.body.id, ground),
      await shop.remove(created.body.id),
      await shop.events('order'),
      await shop.remove(created.body.id),
    ];

    expect(responses.map(({ status }) => status)).toEqual([202, 202, 304, 202, 202, 202, 202, 404]);
    expect(responses.map(({ text }) => text.length > 0)).toEqual(
      responses.map((_, at) => at !== 2 && at !== 5),
    );
  });

  it('that wraps the handler keeps a guard that is set before or after it', async () => {
    const guard = UseGuards(new Closed());
    const wrap = wrapping((next) => next());
    const shop = await mounted({ list: [guard, wrap], tree: [wrap, guard], create: [wrap] });

    const statuses = [await shop.list(), await shop.tree(), await shop.create(ground)];

    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 201]);
  });

  it.each(ways)(
    'that %s and adds a guard, a pipe and more keeps those of the mount',
    async (_way, wrapper) => {
      const ran: string[] = [];
      const noting = (name: string): MethodDecorator[] => [
        UseGuards({ canActivate: () => ran.push(`guard of the ${name}`) > 0 }),
        UseInterceptors({
          intercept: (_context, next) => {
            ran.push(`interceptor of the ${name}`);
            return next.handle();
          },
        }),
        UsePipes({
          transform: (value: unknown) => {
            ran.push(`pipe of the ${name}`);
            return value;
          },
        }),
      ];
      const timed: MethodDecorator = (target, key, descriptor) => {
        const wrapped = wrapper((next) => next())(target, key, descriptor) ?? descriptor;
        const added = [...noting('route'), UseFilters(new ConflictFilter()), Header('x-of-the', 'route')];
        applyDecorators(...added)(target, key, wrapped);
        return wrapped;
      };
      const http = [...noting('mount'), UseFilters(new TeapotFilter()), Header('x-of', 'mount')];
      const shop = await mounted({ remove: [timed] }, http);

      const { status, headers } = await shop.remove('none');

      const both = (what: string): string[] => [`${what} of the mount`, `${what} of the route`];
      expect([...new Set(ran)]).toEqual(['guard', 'interceptor', 'pipe'].flatMap(both));
      expect([status, headers.get('x-of'), headers.get('x-of-the')]).toEqual([418, 'mount', 'route']);
    },
  );

  it('that wraps the handler may set a status, which replaces the status of the handler', async () => {
    const accepting: MethodDecorator = (target, key, descriptor) => {
      wrapping((next) => next())(target, key, descriptor);
      HttpCode(202)(target, key, descriptor);
    };
    const shop = await mounted({ create: [HttpCode(200), accepting], remove: [accepting] });

    const created = await shop.create(ground);
    const removed = await shop.remove(created.body.id);

    expect([created.status, removed.status]).toEqual([202, 202]);
  });

  it('that finds the handler on the class does not affect other mounts', async () => {
    const closing: MethodDecorator = (target, key, descriptor) =>
      UseGuards(new Closed())(target, key, { ...descriptor, value: Reflect.get(target, key) });
    const guarded = await mounted({ list: [closing], tree: [closing, wrapping((next) => next())] });
    const closed = [await guarded.list(), await guarded.tree()];

    const open = await (await mounted({})).list();

    expect([...closed, open].map(({ status }) => status)).toEqual([403, 403, 200]);
  });

  it('that throws gets the response of the host, and our errors stay problems', async () => {
    const throwing = wrapping(() => Promise.reject(new ConflictException('audited')));
    const passing = wrapping((next) => next());
    const shop = await mounted({ create: [throwing], remove: [passing] });

    const [created, removed] = [await shop.create(ground), await shop.remove('none')];

    expect([created.status, created.body]).toMatchObject([409, { message: 'audited' }]);
    expect([removed.status, removed.body]).toMatchObject([404, { code: 'method_not_found' }]);
  });

  it.each<[what: string, decorator: MethodDecorator]>([
    ['leaves no function', (_target, _key, { value }) => ({ get: () => value as never })],
    ['returns a class', () => class {} as never],
    ['describes classes only', (type: object) => Reflect.defineMetadata('roles', ['admin'], type)],
  ])('that %s is refused at boot', async (_what, decorator) => {
    const message = 'has a decorator that works only on classes, or that replaces the handler';

    await expect(mounted({}, [decorator])).rejects.toThrow(message);
    await expect(mounted({ create: [decorator] })).rejects.toThrow(`${message} "create"`);
  });

  const kinds: Record<string, (run: () => unknown) => MethodDecorator> = {
    guards: (run) => UseGuards({ canActivate: () => Boolean(run()) }),
    interceptors: (run) =>
      UseInterceptors({
        intercept: (_context, next) => {
          run();
          return next.handle();
        },
      }),
    'decorators themselves': (run) => () => void run(),
  };

  it.each(Object.entries(kinds))(
    'runs %s as they are written, and those of a mount first',
    async (_kind, of) => {
      const ran: string[] = [];
      const named = (name: string): MethodDecorator => of(() => ran.push(name));
      const both = applyDecorators(named('route 1'), named('route 2')) as MethodDecorator;
      const shop = await mounted({ tree: [both, named('route 3')] }, [named('mount 1'), named('mount 2')]);

      await shop.tree();

      const written = ['mount 1', 'mount 2', 'route 1', 'route 2', 'route 3'];
      const first = ran.indexOf('route 1') - 2;
      expect(ran.slice(first, first + written.length)).toEqual(written);
    },
  );

  it('that wraps the handler wraps what the decorators before it have left', async () => {
    const ran: string[] = [];
    const named = (name: string): MethodDecorator =>
      wrapping((next) => {
        ran.push(name);
        return next();
      });
    const shop = await mounted({ list: [named('route')] }, [named('mount 1'), named('mount 2')]);

    await shop.list();

    expect(ran).toEqual(['route', 'mount 2', 'mount 1']);
  });

  it('sees what the guard before it has put on the request', async () => {
    interface Request {
      headers: Record<string, string | undefined>;
      params: { project_id: string };
      user?: string | undefined;
    }
    const guard = (allows: (request: Request) => boolean): MethodDecorator =>
      UseGuards({ canActivate: (context) => allows(context.switchToHttp().getRequest<Request>()) });
    const signsIn = guard((request) => Boolean((request.user = request.headers['x-user'])));
    const checksTenant = guard(({ user, params }) => user === undefined || user === params.project_id);
    const shop = await mounted({}, [signsIn, checksTenant]);

    const statuses = [shop.project, 'foreign'].map((user) => shop.list('', { 'x-user': user }));

    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 403]);
  });

  it('of a route wins over one of the mount that sets the same value', async () => {
    const value = (name: string): MethodDecorator =>
      applyDecorators(Header('x-of', name), HttpCode(name.length));
    const shop = await mounted({ list: [value('r'.repeat(203))] }, [value('m'.repeat(202))]);

    const [{ headers, status }, tree] = [await shop.list(), await shop.tree()];

    expect([status, headers.get('x-of')?.[0], tree.status]).toEqual([203, 'r', 202]);
  });

  it('finds handlers that have the names of the routes', async () => {
    const names: string[] = [];
    const noting: NestInterceptor = {
      intercept: (context, next) => {
        names.push(`${context.getClass().name}.${context.getHandler().name}`);
        return next.handle();
      },
    };
    const shop = await mounted({}, [UseInterceptors(noting)]);

    const { body } = await shop.create(ground);
    await Promise.all([shop.list(), shop.tree(), shop.update(body.id, ground), shop.events('o')]);
    await shop.remove(body.id);

    const methods = ['create', 'list', 'tree', 'update', 'remove'];
    expect(names.toSorted()).toEqual(
      [
        ...methods.map((name) => `ShippingMethodsController.${name}`),
        'OrderEventsController.events',
      ].toSorted(),
    );
  });

  it('of a mount runs its interceptor once, and its pipe once for each parameter', async () => {
    const ran: string[] = [];
    const interceptor: NestInterceptor = {
      intercept: (_context, next) => {
        ran.push('interceptor');
        return next.handle();
      },
    };
    const pipe: PipeTransform<unknown> = {
      transform: (value) => {
        ran.push(String(value));
        return value;
      },
    };
    const shop = await mounted({}, [UseInterceptors(interceptor), UsePipes(pipe)]);

    await shop.events('o');

    expect(ran.toSorted()).toEqual(['interceptor', 'o', shop.project]);
  });

  it('of a mount that is for Swagger is in the document once for each route', async () => {
    await mounted({}, [ApiBearerAuth()]);

    const { paths } = SwaggerModule.createDocument(hosts.app, new DocumentBuilder().build());

    const operations = Object.values(paths).flatMap((item) => Object.values(item as object));
    expect(operations.map(({ security }) => security)).toEqual(operations.map(() => [{ bearer: [] }]));
    expect(operations).toHaveLength(6);
  });
});
