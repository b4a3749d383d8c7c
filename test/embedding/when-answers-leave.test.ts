import { AsyncLocalStorage } from 'node:async_hooks';
import { type ServerResponse } from 'node:http';
import { ConflictException, type NestInterceptor } from '@nestjs/common';
import {
  type ProblemDetails,
  type ShippingMethodDto,
  ShippingMethods,
  ShippingModule,
} from 'nestjs-shipping';
import { catchError, from, lastValueFrom } from 'rxjs';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

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
  /** The database refuses the COMMIT of a request with the header `x-fail`, or the first of two with `x-fail: first`. */
  const inTransaction: NestInterceptor = {
    intercept: (context, next) => {
      const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      const work = async (manager: EntityManager, fails: boolean): Promise<unknown> => {
        const answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
        if (fails) await engine.failCommit(manager);
        return answer;
      };
      const committed = (fails: boolean): Promise<unknown> =>
        database.dataSource.transaction((manager) => ambient.run(manager, () => work(manager, fails)));
      return from(committed('x-fail' in headers)).pipe(
        catchError((cause: unknown) => {
          if (headers['x-fail'] === 'first') return committed(false);
          throw headers['x-fail'] ? new ConflictException('It was not committed.', { cause }) : cause;
        }),
      );
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
    autonomous = await listening(await mounted(), () => undefined, platform);
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

  it('to a write whose commit is tried again names what the second try has stored', async () => {
    const shop = new Client(transactional.origin, freshProject());
    const created = await shop.create(ground, { 'x-fail': 'first' });
    const updated = await shop.update(created.body.id, { ...ground, sort_order: 2 }, { 'x-fail': 'first' });

    expect([created.status, updated.status]).toEqual([201, 200]);
    expect(await methodsIn(shop)).toEqual([updated.body]);
    expect(created.headers.get('location')).toBe(`${shop.base}/shipments/methods/${created.body.id}`);
    expect([created.headers.get('etag'), updated.headers.get('etag')]).toEqual(['"1"', '"2"']);
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
