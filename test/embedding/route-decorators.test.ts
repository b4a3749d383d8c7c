import {
  type CanActivate,
  ConflictException,
  HttpCode,
  type NestInterceptor,
  type PipeTransform,
  type Type,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ShippingModule, type ShippingRoute } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';
import { around, type Wrap, wrapping } from './route-wrapper.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** The ways in which a decorator replaces the function: in the descriptor, or with a new descriptor. */
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

describe.each(platformNames)('a route decorator on %s', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(() => database?.close());

  type RouteDecorators = Partial<Record<ShippingRoute, MethodDecorator[]>>;
  const mounted = async (
    routeDecorators: RouteDecorators,
    decorators: ClassDecorator[] = [],
  ): Promise<Client> => {
    const http = { routeDecorators, decorators };
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http })]);
    host = await listening(testing, () => undefined, platform);
    return new Client(host.origin, freshProject());
  };

  it.each(ways)('that %s is called on each route, and its answers are whole', async (_way, decorator) => {
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
    const answers = [
      created,
      await shop.list(),
      await shop.tree(),
      await shop.update(created.body.id, ground),
      await shop.remove(created.body.id),
      await shop.events('o'),
    ];

    expect(called).toEqual(routes);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 204, 200]);
    expect(answers[1]?.body).toMatchObject({ data: [ground] });
  });

  it('that sets another status sets that of our answers, but not of refusals or of what the client has', async () => {
    const routes = ['create', 'list', 'tree', 'update', 'remove', 'events'] as const;
    const shop = await mounted(Object.fromEntries(routes.map((route) => [route, [HttpCode(202)]])));

    const created = await shop.create(ground);
    const list = await shop.list();
    const answers = [
      created,
      list,
      await shop.list('', { 'if-none-match': list.headers.get('etag') ?? '' }),
      await shop.tree(),
      await shop.update(created.body.id, ground),
      await shop.remove(created.body.id),
      await shop.events('order'),
      await shop.remove(created.body.id),
    ];

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 304, 202, 202, 202, 202, 404]);
    expect(answers.map(({ text }) => text.length > 0)).toEqual(answers.map((_, at) => at !== 2 && at !== 5));
  });

  it('that wraps the handler keeps a guard that is set before or after it', async () => {
    const guard = UseGuards(new Closed());
    const wrap = wrapping((next) => next());
    const shop = await mounted({ list: [guard, wrap], tree: [wrap, guard], create: [wrap] });

    const statuses = [await shop.list(), await shop.tree(), await shop.create(ground)];

    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 201]);
  });

  it('that finds the handler on the class does not affect other mounts', async () => {
    const closing: MethodDecorator = (target, key, descriptor) =>
      UseGuards(new Closed())(target, key, { ...descriptor, value: Reflect.get(target, key) });
    const { status: closed } = await (await mounted({ list: [closing] })).list();
    host?.app.getHttpServer().close();

    const { status: open } = await (await mounted({})).list();

    expect([closed, open]).toEqual([403, 200]);
  });

  it('that throws is answered by the host, and a refusal of ours passes it as a problem', async () => {
    const throwing = wrapping(() => Promise.reject(new ConflictException('audited')));
    const passing = wrapping((next) => next());
    const shop = await mounted({ create: [throwing], remove: [passing] });

    const [created, removed] = [await shop.create(ground), await shop.remove('none')];

    expect([created.status, created.body]).toMatchObject([409, { message: 'audited' }]);
    expect([removed.status, removed.body]).toMatchObject([404, { code: 'method_not_found' }]);
  });

  it('that leaves no function is refused at boot', async () => {
    const bound: MethodDecorator = (_target, _key, { value }) => ({ get: () => value as never });

    await expect(mounted({ create: [bound] })).rejects.toThrow(
      '"http.routeDecorators.create" must leave a function',
    );
  });

  it('of a whole mount may return a class that extends ours', async () => {
    const made: string[] = [];
    const extending = ((type: Type) =>
      class extends type {
        constructor(...parameters: unknown[]) {
          super(...parameters);
          made.push(type.name);
        }
      }) as ClassDecorator;
    const shop = await mounted({}, [extending]);

    const answers = [await shop.create(ground), await shop.list(), await shop.events('o')];

    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(made.toSorted()).toEqual(['OrderEventsController', 'ShippingMethodsController']);
  });

  it('of a whole mount is applied after those behind it in the list, as TypeScript does', async () => {
    const seen: string[] = [];
    const named =
      (name: string): ClassDecorator =>
      (type) =>
        void seen.push(`${name} ${type.name}`);

    await mounted({}, [named('outer'), named('inner')]);

    expect(seen.slice(0, 2)).toEqual(['inner ShippingMethodsController', 'outer ShippingMethodsController']);
  });

  it('of a whole mount runs its interceptor once, and its pipe once for each parameter', async () => {
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

  it('of a whole mount that describes it is in the document once for each route', async () => {
    await mounted({}, [ApiBearerAuth()]);

    const { paths } = SwaggerModule.createDocument(host?.app as never, new DocumentBuilder().build());

    const operations = Object.values(paths).flatMap((item) => Object.values(item as object));
    expect(operations.map(({ security }) => security)).toEqual(operations.map(() => [{ bearer: [] }]));
    expect(operations).toHaveLength(6);
  });

  it('of a whole mount that returns any other class is refused at boot', async () => {
    await expect(mounted({}, [() => class {} as never])).rejects.toThrow(
      '"http.decorators" made a class that does not extend ShippingMethodsController',
    );
  });
});
