import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import {
  type ArgumentsHost,
  Catch,
  ClassSerializerInterceptor,
  type ExceptionFilter,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ShippingMethodsService } from 'nestjs-shipping';
import { catchError, concatMap, map, of, tap } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, ground } from '../support/client.js';
import { platformNames } from './host.js';
import { hostsInTurn } from './hosts-in-turn.js';

const apologising: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(catchError(() => of({ sorry: true }))),
};

/** The objects that an interceptor may make from a value. */
const copies: Record<string, (value: object) => object> = {
  'a Proxy of the value': (value) => new Proxy(value, {}),
  'a copy of its property descriptors': (value) =>
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)),
  'the frozen value': Object.freeze,
};

interface Response {
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
  const hosts = hostsInTurn(platform);
  const mounted = (...interceptors: NestInterceptor[]) =>
    hosts.start({ configure: (app) => app.useGlobalInterceptors(...interceptors) });

  it('that excludes names by their prefix hides none of ours', async () => {
    const options = { excludePrefixes: ['_', 'm'] };
    const shop = await mounted(new ClassSerializerInterceptor(new Reflector(), options));
    const sent = { ...ground, meta: { _own: 1 } };

    const { body } = await shop.create(sent);

    expect(body).toMatchObject(sent);
    expect((await shop.list()).body.data).toEqual([body]);
  });

  it('can replace the error of a read', async () => {
    const shop = await mounted(apologising);

    const responses = [
      await shop.list('page=0'),
      await new Client(shop.origin, '%20').tree(),
      await shop.events('%20'),
    ];

    expect(responses.map(({ body }) => body)).toEqual(responses.map(() => ({ sorry: true })));
  });

  it('that runs the handler twice sends the second response with its ETag', async () => {
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
      await hosts.app.get(ShippingMethodsService).create(shop.project, ground);
    };

    const first = await shop.list();
    const second = await shop.list();

    expect(first.body.meta.total).toBe(1);
    expect(first.headers.get('etag')).toBe(second.headers.get('etag'));
  });

  it.each(Object.entries(copies))('can send %s, and nothing is missing', async (_what, copy) => {
    const shop = await mounted({
      intercept: (_context, next) => next.handle().pipe(map((value) => copy(value as object))),
    });
    await shop.create(ground);

    const [list, tree] = [await shop.list(), await shop.tree()];

    expect([list.status, list.body]).toMatchObject([200, { data: [ground], meta: { total: 1 } }]);
    expect([tree.status, tree.body]).toMatchObject([200, { data: [{ methods: [ground] }] }]);
  });

  it('that does not read the value lets us send JSON from the cache', async () => {
    const shop = await mounted({ intercept: (_context, next) => next.handle() });
    await shop.create(ground);
    // The first requests make the JSON.
    await Promise.all([shop.list(), shop.tree()]);
    const stringify = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => stringify.mockRestore());

    const responses = [await shop.list(), await shop.tree()];

    expect(responses.map(({ body }) => body.data.length)).toEqual([1, 1]);
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

    const responses = [
      await shop.create(ground),
      await shop.list(),
      await shop.tree(),
      await shop.events('o'),
    ];

    expect(responses.map(({ text, headers }) => [text, headers.get('content-type')])).toEqual(
      responses.map(() => ['code;label', 'text/csv; charset=utf-8']),
    );
  });

  it('that fails after the handler leaves the response to a filter of the host', async () => {
    const failing: NestInterceptor = {
      intercept: (_context, next) => next.handle().pipe(map(() => assert.fail('not committed'))),
    };
    const shop = await hosts.start({
      configure: (app) => app.useGlobalInterceptors(failing).useGlobalFilters(new TextFilter()),
    });

    const responses = [
      await shop.create(ground),
      await shop.list(),
      await shop.tree(),
      await shop.events('o'),
    ];

    expect(responses.map(({ status, text }) => [status, text])).toEqual(
      responses.map(() => [409, '{"message":"not committed"}']),
    );
  });

  it('can give a value a toJSON() of its own', async () => {
    const toJSON = (): object => ({ by: 'host' });
    const shop = await mounted({
      intercept: (_context, next) => next.handle().pipe(tap((value) => Object.assign(value, { toJSON }))),
    });

    const responses = [await shop.list(), await shop.tree(), await shop.events('o')];

    expect(responses.map(({ body }) => body)).toEqual(responses.map(toJSON));
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

    const responses = [await shop.list(), await shop.tree(), await shop.events('o')];

    expect(responses.map(({ headers }) => headers.get('content-type')?.split(';')[0])).toEqual(
      responses.map(() => 'application/hal+json'),
    );
    expect(responses.map(({ body }) => body.data)).toEqual([[], [], []]);
  });
});
