import { AsyncLocalStorage } from 'node:async_hooks';
import { type ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  ConflictException,
  type ExceptionFilter,
  type INestApplication,
  type NestInterceptor,
} from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type ProblemDetails,
  type ShippingMethodDto,
  ShippingMethods,
  ShippingModule,
} from 'nestjs-shipping';
import { concat, from, ignoreElements, lastValueFrom, throwError } from 'rxjs';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';
import { answerWithMessage, MessageFilter, timing, wrapping } from './hostile-host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** Collects the warnings of Fastify, which warns about a second answer but does not throw. */
function warnings(app: INestApplication, seen: unknown[]): void {
  const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
  const warn = (what: unknown): unknown => seen.push(what);
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.log = Object.assign(Object.create(reply.log), { warn });
    done();
  });
}

describe.each(platformNames)('an answer on %s', (platform) => {
  let database: TestDatabase;
  let transactional: Host;
  let autonomous: Host;
  /** Whether the last answer had left when its handler was done, which is before the COMMIT, if there is one. */
  let hadLeft: boolean;
  /** The transaction of the request, if it has one. */
  const ambient = new AsyncLocalStorage<EntityManager>();

  const noting: NestInterceptor = {
    intercept: (context, next) => {
      const response = context.switchToHttp().getResponse<ServerResponse & { raw?: ServerResponse }>();
      const answer = lastValueFrom(next.handle(), { defaultValue: undefined });
      return from(answer.finally(() => (hadLeft = (response.raw ?? response).headersSent)));
    },
  };
  /** The database refuses the COMMIT of a request with the header `x-fail`. */
  const inTransaction: NestInterceptor = {
    intercept: (context, next) => {
      const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      const work = async (manager: EntityManager): Promise<unknown> => {
        const answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
        if (headers['x-fail']) await engine.failCommit(manager);
        return answer;
      };
      const committed = database.dataSource
        .transaction((manager) => ambient.run(manager, () => work(manager)))
        .catch((cause: unknown) => {
          throw headers['x-fail'] ? new ConflictException('It was not committed.', { cause }) : cause;
        });
      return from(committed);
    },
  };

  beforeAll(async () => {
    database = await testDatabase();
    await engine.prepareFailingCommits(database.dataSource.manager);
    const shipping = { entityManager: () => ambient.getStore() };
    const mounted = () => compiled([typeOrm(database), ShippingModule.forRoot(shipping)]);
    transactional = await listening(
      await mounted(),
      (app) => app.useGlobalInterceptors(inTransaction, noting),
      platform,
    );
    autonomous = await listening(
      await mounted(),
      (app) => app.useGlobalFilters(new MessageFilter()).useGlobalInterceptors(wrapping, noting),
      platform,
    );
  });
  afterAll(async () => {
    // They share the one connection of the embedded database: closing the first would close it for the second.
    for (const host of [transactional, autonomous]) host?.app.getHttpServer().close();
    await database?.close();
  });

  const methodsIn = async ({ project }: Client): Promise<ShippingMethodDto[]> =>
    (await autonomous.app.get(ShippingMethods).list(project)).data;

  it('to a write in a transaction of the host leaves after the commit, in our form', async () => {
    const shop = new Client(transactional.origin, freshProject());

    const created = await shop.create(ground);
    const leftBefore = [hadLeft];
    const updated = await shop.update(created.body.id, { ...ground, sort_order: 2 });
    leftBefore.push(hadLeft);
    const stored = await methodsIn(shop);
    const removed = await shop.remove(created.body.id);
    leftBefore.push(hadLeft);

    expect(leftBefore).toEqual([false, false, false]);
    expect([created.status, updated.status, removed.status, removed.text]).toEqual([201, 200, 204, '']);
    expect(created.body).toMatchObject({ ...ground, version: 1 });
    expect(created.headers.get('etag')).toBe('"1"');
    expect(created.headers.get('location')).toBe(`${shop.base}/shipments/methods/${created.body.id}`);
    expect([updated.body]).toEqual(stored);
    expect(updated.headers.get('etag')).toBe('"2"');
    expect(await methodsIn(shop)).toEqual([]);
  });

  it('to a write whose commit fails is the host’s error without our headers, and nothing is stored', async () => {
    const shop = new Client(transactional.origin, freshProject());
    const kept = await shop.create({ ...ground, method_code: '01' });
    const fail = { 'x-fail': '1' };

    const answers = [
      await shop.create(ground, fail),
      await shop.update(kept.body.id, { ...ground, sort_order: 2 }, fail),
      await shop.remove(kept.body.id, fail),
    ];

    for (const { status, headers, body } of answers) {
      expect([status, body]).toMatchObject([409, { message: 'It was not committed.' }]);
      expect(headers.get('location')).toBeNull();
      // Express makes a weak tag for any body; ours is a strong one.
      expect(headers.get('etag') ?? 'W/').toMatch(/^W\//);
    }
    expect(await methodsIn(shop)).toEqual([kept.body]);
  });

  it('that refuses a write in a transaction of the host is a problem', async () => {
    const shop = new Client(transactional.origin, freshProject());

    const refused = await shop.remove('none');

    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.body).toMatchObject({ status: 404, code: 'method_not_found' });
  });

  it('to a write that commits by itself leaves at once, so that no interceptor wraps it', async () => {
    const shop = new Client(autonomous.origin, freshProject());

    const created = await shop.create(ground);
    const leftBefore = [hadLeft];
    const updated = await shop.update(created.body.id, { ...ground, sort_order: 2 });
    leftBefore.push(hadLeft);
    const stored = await methodsIn(shop);
    const removed = await shop.remove(created.body.id);
    leftBefore.push(hadLeft);

    expect(leftBefore).toEqual([true, true, true]);
    expect([created.status, updated.status, removed.status, removed.text]).toEqual([201, 200, 204, '']);
    expect(created.body).toMatchObject({ ...ground, project_id: shop.project, version: 1 });
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(created.headers.get('etag')).toBe('"1"');
    expect(created.headers.get('location')).toBe(`${shop.base}/shipments/methods/${created.body.id}`);
    expect([updated.body]).toEqual(stored);
    expect(updated.headers.get('etag')).toBe('"2"');
  });

  it('to a read leaves at once, so that no interceptor wraps it', async () => {
    const shop = new Client(autonomous.origin, freshProject());
    const { body: method } = await shop.create(ground);

    const [list, tree, events] = [await shop.list(), await shop.tree(), await shop.events('o')];

    expect([list.status, list.body.data, list.body.meta.total]).toEqual([200, [method], 1]);
    expect([tree.status, tree.body.data.map(({ methods }) => methods)]).toEqual([200, [[method]]]);
    expect([events.status, events.body]).toEqual([200, { data: [] }]);
    expect((await shop.list('', { 'if-none-match': list.headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('that has left is closed: Nest, interceptors and filters cannot change it, and do not fail when they try', async () => {
    const seen: unknown[] = [];
    @Catch()
    class NotingFilter implements ExceptionFilter<Error> {
      catch(exception: Error, host: ArgumentsHost): void {
        seen.push(exception.message);
        answerWithMessage(exception, host);
        seen.push('answered');
      }
    }
    const failing: NestInterceptor = {
      intercept: (_context, next) =>
        concat(
          next.handle().pipe(ignoreElements()),
          throwError(() => new Error('too late')),
        ),
    };
    const hosts = [[timing, wrapping], [failing]].map(async (interceptors) =>
      listening(
        await compiled([typeOrm(database), ShippingModule.forRoot()]),
        (app) => {
          app.useGlobalFilters(new NotingFilter()).useGlobalInterceptors(...interceptors);
          if (platform === 'Fastify') warnings(app, seen);
        },
        platform,
      ),
    );

    const statuses: number[] = [];
    for await (const { app, origin } of hosts) {
      const shop = new Client(origin, freshProject());
      const created = await shop.create(ground);
      const { id } = created.body;
      const [updated, list] = [await shop.update(id, ground), await shop.list()];
      const held = await shop.list('', { 'if-none-match': list.headers.get('etag') ?? '' });
      const others = [await shop.tree(), held, await shop.events('o'), await shop.remove(id)];
      statuses.push(...[created, updated, list, ...others].map(({ status }) => status));
      app.getHttpServer().close();
    }

    const expected = [201, 200, 200, 200, 304, 200, 204];
    expect(statuses).toEqual([...expected, ...expected]);
    expect(seen).toEqual(expected.flatMap(() => ['too late', 'answered']));
  });

  it.each([
    ['the list', '/shipments/methods', 200],
    ['a page of the list', '/shipments/methods?per_page=1', 200],
    ['the tree', '/shipments/methods/tree', 200],
    ['a short history', '/short/events', 200],
    ['a long history', '/long/events', 200],
    ['a refused list', '/shipments/methods?page=0', 400],
    ['a refused history', '/-/events', 400],
  ])('to a HEAD request for %s has the headers of a GET and no body', async (_what, path, status) => {
    const shop = new Client(autonomous.origin, freshProject());
    await shop.create(ground);
    await addEvents(database.dataSource.manager, { projectId: shop.project, orderId: 'long' }, 1000);

    const got = await shop.send<ProblemDetails>('GET', shop.base + path);
    const head = await shop.send<ProblemDetails>('HEAD', shop.base + path);
    const tag = { 'if-none-match': got.headers.get('etag') ?? '"none"' };
    const held = await shop.send<ProblemDetails>('HEAD', shop.base + path, undefined, tag);

    const isConditional = path.startsWith('/shipments') && status === 200;
    expect([got.status, head.status, held.status]).toEqual([status, status, isConditional ? 304 : status]);
    expect([head.text, held.text]).toEqual(['', '']);
    for (const name of ['etag', 'content-type', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
  });
});
