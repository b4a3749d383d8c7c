import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import {
  type ArgumentsHost,
  Catch,
  ClassSerializerInterceptor,
  type ExceptionFilter,
  type INestApplication,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { catchError, concatMap, map, of, tap } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const apologising: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(catchError(() => of({ sorry: true }))),
};

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const deep: ProxyHandler<object> = {
  get: (target, name, receiver) => {
    const found: unknown = Reflect.get(target, name, receiver);
    return typeof found === 'object' && found !== null ? new Proxy(found, deep) : found;
  },
};

/** What an interceptor may make of a value. */
const copies: Record<string, (value: object) => object> = {
  'a Proxy': (value) => new Proxy(value, {}),
  'a Proxy of all that it holds': (value) => new Proxy(value, deep),
  'a copy': (value) => ({ ...value }),
  'a structured clone': (value) => structuredClone(value),
  'a copy of its properties': (value) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)),
  'it, frozen': Object.freeze,
};

/** Functions that a middleware of the host puts in place of those of Express. */
const middlewares: Record<string, (response: Response) => void> = {
  json: (response) => {
    const json = response.json.bind(response);
    response.json = (payload) => json({ by: 'host', payload });
  },
  send: (response) => {
    const send = response.send.bind(response);
    response.send = (body) => send(typeof body === 'string' ? `{"by":"host","payload":${body}}` : body);
  },
};

interface Response {
  json(payload: unknown): unknown;
  send(body: unknown): unknown;
  header(name: string, value: string): unknown;
  status(code: number): Response;
}

@Catch()
class TextFilter implements ExceptionFilter<Error> {
  catch({ message }: Error, context: ArgumentsHost): void {
    const response = context.switchToHttp().getResponse<Response>();
    response.header('Content-Type', 'application/problem+json');
    response.status(409).send(JSON.stringify({ message }));
  }
}

describe.each(platformNames)('on %s, an interceptor', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  // The embedded database has one connection for all hosts: closing the app would close it too.
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(() => database?.close());

  const mounted = async (...interceptors: NestInterceptor[]): Promise<Client> => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    host = await listening(testing, (app) => app.useGlobalInterceptors(...interceptors), platform);
    return new Client(host.origin, freshProject());
  };

  it('that serialises without some names hides nothing', async () => {
    const options = { excludePrefixes: ['_', 'm'] };
    const shop = await mounted(new ClassSerializerInterceptor(new Reflector(), options));
    const sent = { ...ground, meta: { _own: 1 } };

    const { body } = await shop.create(sent);

    expect(body).toMatchObject(sent);
    expect((await shop.list()).body.data).toEqual([body]);
  });

  it('can replace the refusal of a read', async () => {
    const shop = await mounted(apologising);

    const answers = [
      await shop.list('page=0'),
      await new Client(shop.origin, '%20').tree(),
      await shop.events('%20'),
    ];

    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ sorry: true })));
  });

  it.each<[what: string, change: (value: Record<string, unknown>) => void, names: string[]]>([
    ['a member', (value) => Object.assign(value, { by: 'host' }), ['data', 'meta', 'by']],
    [
      'a member in place of another one',
      (value) => {
        delete value['meta'];
        value['by'] = 'host';
      },
      ['data', 'by'],
    ],
  ])('can add %s without a look at the others', async (_what, change, names) => {
    const shop = await mounted({ intercept: (_context, next) => next.handle().pipe(tap(change)) });

    const [list, tree] = [await shop.list(), await shop.tree()];

    expect([Object.keys(list.body), list.body['by']]).toEqual([names, 'host']);
    expect(tree.body).toEqual({ data: [], by: 'host' });
  });

  it.each<[what: string, change: (value: object) => void]>([
    [
      'a getter of its own',
      (value) => Object.defineProperty(value, 'data', { get: () => 'hidden', enumerable: true }),
    ],
    ['toJSON', (value) => Object.defineProperty(value, 'toJSON', { value: () => ({ data: 'hidden' }) })],
  ])('can hide the data behind %s', async (_what, change) => {
    const shop = await mounted({ intercept: (_context, next) => next.handle().pipe(tap(change)) });
    await shop.create(ground);

    const answers = [await shop.list(), await shop.tree()];

    expect(answers.map(({ body }) => body.data)).toEqual(['hidden', 'hidden']);
  });

  it('that runs the handler again, after a change, answers with the second answer and its tag', async () => {
    let isChanged = false;
    const again: NestInterceptor = {
      intercept: (_context, next) =>
        isChanged
          ? next.handle()
          : next.handle().pipe(
              concatMap(create),
              concatMap(() => next.handle()),
            ),
    };
    const shop = await mounted(again);
    const create = async (): Promise<void> => {
      isChanged = true;
      const method = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
      await host?.app.get(ShippingMethods).create(shop.project, method);
    };

    const first = await shop.list();
    const second = await shop.list();

    expect(first.body.meta.total).toBe(1);
    expect(first.headers.get('etag')).toBe(second.headers.get('etag'));
  });

  it.each(Object.entries(copies))('can send %s, which is whole', async (_what, copy) => {
    const shop = await mounted({
      intercept: (_context, next) => next.handle().pipe(map((value) => copy(value as object))),
    });
    await shop.create(ground);

    const [list, tree] = [await shop.list(), await shop.tree()];

    expect([list.status, list.body]).toMatchObject([200, { data: [ground], meta: { total: 1 } }]);
    expect([tree.status, tree.body]).toMatchObject([200, { data: [{ methods: [ground] }] }]);
  });

  it('that looks at nothing leaves lists and trees to the JSON at hand', async () => {
    const shop = await mounted({ intercept: (_context, next) => next.handle() });
    await shop.create(ground);
    // The first requests make the JSON.
    await Promise.all([shop.list(), shop.tree()]);
    const stringify = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => stringify.mockRestore());

    const answers = [await shop.list(), await shop.tree()];

    expect(answers.map(({ body }) => body.data.length)).toEqual([1, 1]);
    expect(stringify.mock.calls.filter(([value]) => Object.hasOwn(Object(value), 'data'))).toEqual([]);
  });

  it('can send text of a media type of its own', async () => {
    const csv: NestInterceptor = {
      intercept: (context, next) =>
        next.handle().pipe(
          map(() => {
            const response = context.switchToHttp().getResponse<Response>();
            response.header('Content-Type', 'text/csv; charset=utf-8');
            return 'code;label';
          }),
        ),
    };
    const shop = await mounted(csv);

    const answers = [await shop.create(ground), await shop.list(), await shop.tree(), await shop.events('o')];

    expect(answers.map(({ text, headers }) => [text, headers.get('content-type')])).toEqual(
      answers.map(() => ['code;label', 'text/csv; charset=utf-8']),
    );
  });

  it('that fails after the handler leaves the answer to a filter of the host, which may send JSON as text', async () => {
    const failing: NestInterceptor = {
      intercept: (_context, next) => next.handle().pipe(map(() => assert.fail('not committed'))),
    };
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    const setUp = (app: INestApplication): unknown =>
      app.useGlobalInterceptors(failing).useGlobalFilters(new TextFilter());
    host = await listening(testing, setUp, platform);
    const shop = new Client(host.origin, freshProject());

    const answers = [await shop.create(ground), await shop.list(), await shop.tree(), await shop.events('o')];

    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      answers.map(() => [409, '{"message":"not committed"}']),
    );
  });

  it('can give a value a toJSON() of its own', async () => {
    const toJSON = (): object => ({ by: 'host' });
    const shop = await mounted({
      intercept: (_context, next) => next.handle().pipe(tap((value) => Object.assign(value, { toJSON }))),
    });

    const answers = [await shop.list(), await shop.tree(), await shop.events('o')];

    expect(answers.map(({ body }) => body)).toEqual(answers.map(toJSON));
  });

  it('can log a value as a plain object', async () => {
    const lines: string[] = [];
    const shop = await mounted({
      intercept: (_context, next) =>
        next.handle().pipe(tap((value) => lines.push(inspect(value, { breakLength: Infinity })))),
    });

    await Promise.all([shop.list(), shop.tree()]);

    expect(lines.toSorted()).toEqual([
      '{ data: [] }',
      '{ data: [], meta: { page: 1, per_page: 20, total: 0, total_pages: 0 } }',
    ]);
  });

  it('can set a media type of its own for a value', async () => {
    const shop = await mounted({
      intercept: (context, next) => {
        context.switchToHttp().getResponse<Response>().header('Content-Type', 'application/hal+json');
        return next.handle();
      },
    });

    const answers = [await shop.list(), await shop.tree(), await shop.events('o')];

    expect(answers.map(({ headers }) => headers.get('content-type')?.split(';')[0])).toEqual(
      answers.map(() => 'application/hal+json'),
    );
    expect(answers.map(({ body }) => body.data)).toEqual([[], [], []]);
  });
});

describe('a middleware of Express', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it.each(Object.entries(middlewares))('that replaces %s() gets each answer', async (_name, replace) => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    const host = await listening(testing, (app) =>
      (app as NestExpressApplication).use((_request: unknown, response: Response, next: () => void) => {
        replace(response);
        next();
      }),
    );
    onTestFinished(() => host.app.getHttpServer().close());
    const shop = new Client(host.origin, freshProject());

    const answers = [await shop.create(ground), await shop.list(), await shop.tree(), await shop.events('o')];

    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    for (const { text } of answers) expect(text).toMatch(/^\{"by":/);
  });
});

it('a hook of Fastify gets a refusal as text, whose media type has no charset', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
  const hook = (app: NestFastifyApplication): unknown =>
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onSend', (_request, _reply, payload, done) =>
        done(null, (payload as string).replace('{', '{"by":"host",')),
      );
  const host = await listening(testing, (app) => hook(app as NestFastifyApplication), 'Fastify');
  onTestFinished(() => host.app.getHttpServer().close());

  const refusal = await new Client(host.origin, freshProject()).list('page=0');

  expect([refusal.status, refusal.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
  expect(refusal.text).toMatch(/^\{"by":/);
});
