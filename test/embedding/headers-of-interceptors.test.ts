import { type NestInterceptor } from '@nestjs/common';
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';
import { platformNames } from './host.js';
import { wrapping } from './hostile-host.js';
import { hostsInTurn } from './hosts-in-turn.js';

interface Response {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
}

const settingHeaders = (headers: Record<string, string>): NestInterceptor => ({
  intercept: (context, next) => {
    const response = context.switchToHttp().getResponse<Response>();
    for (const [name, text] of Object.entries(headers)) response.header(name, text);
    return next.handle();
  },
});

interface Page {
  data: { meta: object }[];
}

/** How a host hides `meta` from a user: in a new object, in the value itself, or by a value that has nothing of ours. */
const hidings: Record<string, (page: Page, user: string) => Page> = {
  'makes another value': (page, user) => ({
    ...page,
    data: page.data.map((method) => ({ ...method, meta: { user } })),
  }),
  'changes the value': (page, user) => {
    for (const method of page.data) method.meta = { user };
    return page;
  },
  'does not read the value': (_page, user) => ({ data: [{ meta: { user } }] }),
};

describe.each(platformNames)('an interceptor on %s', (platform) => {
  const hosts = hostsInTurn(platform);
  const mounted = (...interceptors: NestInterceptor[]) =>
    hosts.start({ configure: (app) => app.useGlobalInterceptors(...interceptors) });

  it('keeps the headers that it sets, and its ETag is compared', async () => {
    const headers = { ETag: '"own"', Location: '/own', 'Cache-Control': 'private' };
    const shop = await mounted(settingHeaders(headers));

    const created = await shop.create(ground);
    const responses = [
      created,
      await shop.update(created.body.id, ground),
      await shop.list(),
      await shop.tree(),
    ];

    for (const response of responses)
      for (const [name, text] of Object.entries(headers)) expect(response.headers.get(name)).toBe(text);
    expect((await shop.events('o')).headers.get('cache-control')).toBe('private');
    expect((await shop.list('', { 'if-none-match': '"own"' })).status).toBe(304);
  });

  it('may set a weak ETag, which is equal to the strong one that a client has', async () => {
    const shop = await mounted(settingHeaders({ ETag: 'W/"own"' }));
    const tags = ['"own"', 'W/"own"', '"other", "own"', '"other"', 'W/own'];

    const responses = await Promise.all(tags.map((tag) => shop.list('', { 'if-none-match': tag })));

    expect(responses.map(({ status }) => status)).toEqual([304, 304, 304, 200, 200]);
    expect(responses[0]?.headers.get('etag')).toBe('W/"own"');
  });

  it.each(Object.entries(hidings))(
    'that %s for one user never lets a 304 confirm the response of another user',
    async (_how, hide) => {
      const shop = await mounted({
        intercept: (context, next) => {
          const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
          const { 'x-user': user = 'admin' } = headers;
          return next.handle().pipe(map((page: Page) => (user === 'admin' ? page : hide(page, user))));
        },
      });
      await shop.create({ ...ground, meta: { margin: 7 } });
      const read = (user: string, etag = '"none"') =>
        shop.list('', { 'x-user': user, 'if-none-match': etag });
      const etagOf = async (user: string): Promise<string> => (await read(user)).headers.get('etag') ?? '';
      const [admin, clerk] = [await etagOf('admin'), await etagOf('clerk')];

      const responses = [
        await read('guest', clerk),
        await read('clerk', admin),
        await read('admin', clerk),
        await read('clerk', clerk),
        await read('admin', admin),
      ];

      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 304, 304]);
      expect(responses[0]?.body.data[0]?.meta).toEqual({ user: 'guest' });
      expect(responses[0]?.headers.get('cache-control')).toBe('private, no-cache');
    },
  );

  it('that wraps each response adds no body to the 204 of a removal', async () => {
    const shop = await mounted(wrapping);
    const { body } = await shop.send<{ data: { id: string } }>(
      'POST',
      `${shop.base}/shipments/methods`,
      ground,
    );

    const { status, text } = await shop.remove(body.data.id);

    expect([status, text]).toEqual([204, '']);
  });

  it('a redirect of an interceptor is sent, whatever the client holds', async () => {
    const { origin, base } = await mounted({
      intercept: (context, next) => {
        const response = context.switchToHttp().getResponse<Response>();
        response.header('Location', '/elsewhere');
        response.status(302);
        return next.handle();
      },
    });

    const { status, headers } = await fetch(`${origin}${base}/shipments/methods`, {
      redirect: 'manual',
      headers: { 'if-none-match': '*' },
    });

    expect([status, headers.get('location')]).toEqual([302, '/elsewhere']);
  });
});
