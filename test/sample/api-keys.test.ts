import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleApp, sampleApp } from './sample-app.js';

const tree = (project: string): string => `/api/projects/${project}/sales/orders/shipments/methods/tree`;
const bearer = (key: string): string => `Bearer ${key}`;
const basic = (password: string, user = 'anyone'): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('with API_KEYS', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp(
      'demo=demo-key,demo=second-key,shop=shop-key,shop=both,demo=both,demo=a:b=:c,*=master-key',
    );
  });
  afterAll(() => app?.close());

  const get = (path: string, authorization?: string, method = 'GET'): Promise<Response> =>
    fetch(app.origin + path, { method, headers: authorization === undefined ? {} : { authorization } });

  const everywhere = ['/docs', '/docs/swagger-ui.css', '/openapi.json', '/nowhere', '//docs', tree('demo')];

  it.each(everywhere)('%s asks for a key, in a way that programs and browsers understand', async (path) => {
    const response = await get(path);

    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+".*, Bearer$/);
    expect(await response.json()).toMatchObject({ code: 'unauthorized', status: 401 });
  });

  it.each(['/', '/page/page.js', '/page/vendor/pico.css'])(
    '%s needs no key: the page has no data, and asks for the key itself',
    async (path) => {
      expect((await get(path)).status).toBe(200);
      expect((await get(path, undefined, 'POST')).status).toBe(401);
    },
  );

  it.each(['POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('%s asks for a key too', async (method) => {
    const response = await get(tree('demo'), undefined, method);

    expect(response.status).toBe(401);
  });

  it.each([
    ['a wrong key', bearer('demo-kez')],
    ['the beginning of a key', bearer('demo-ke')],
    ['a key with one more character', bearer('demo-key1')],
    ['no key', bearer('')],
    ['a key of another scheme', 'Digest demo-key'],
    ['a key without a scheme', 'demo-key'],
    ['a header with two keys', bearer('demo-key, master-key')],
    ['the star', bearer('*')],
    ['a key as the user', basic('', 'demo-key')],
    ['no password', basic('')],
    ['Basic that is not base64', 'Basic %%%'],
  ])('%s opens nothing', async (_what, authorization) => {
    expect((await get(tree('demo'), authorization)).status).toBe(401);
    expect((await get('/docs', authorization)).status).toBe(401);
  });

  it.each([
    ['its own project', tree('demo'), bearer('demo-key'), 200],
    ['its own project with any of its keys', tree('demo'), bearer('second-key'), 200],
    ['its own project with the scheme in any case', tree('demo'), 'bEARER demo-key', 200],
    ['its own project as a password', tree('demo'), basic('demo-key'), 200],
    ['its own project with colons in the key', tree('demo'), bearer('a:b=:c'), 200],
    ['its own project as a password with colons', tree('demo'), basic('a:b=:c'), 200],
    ['its own project, percent-encoded', tree('%64emo'), bearer('demo-key'), 200],
    ['another project', tree('shop'), bearer('demo-key'), 403],
    ['another project, percent-encoded', tree('%73hop'), bearer('demo-key'), 403],
    ['another project, in other letters', tree('DEMO'), bearer('demo-key'), 403],
    ['a project with a longer name', tree('demo2'), bearer('demo-key'), 403],
    ['a project with an encoded slash', tree('demo%2Fx'), bearer('demo-key'), 403],
    ['another order desk', '/api/projects/shop/desk/orders', bearer('demo-key'), 404],
    ['the first of its projects', tree('demo'), bearer('both'), 200],
    ['the second of its projects', tree('shop'), bearer('both'), 200],
    ['any project when it is the key of all', tree('other'), bearer('master-key'), 200],
    ['a project called *', tree('*'), bearer('demo-key'), 403],
    ['the documentation', '/docs', bearer('demo-key'), 200],
    ['the documentation in a browser', '/docs', basic('shop-key'), 200],
    ['the description', '/openapi.json', bearer('shop-key'), 200],
    ['the page', '/', bearer('shop-key'), 200],
    ['a path without a route', '/nowhere', bearer('demo-key'), 404],
    [
      'a path without a route, because of its upper case',
      tree('demo').toUpperCase(),
      bearer('demo-key'),
      404,
    ],
    ['a path without a route, because of its slashes', `/${tree('shop')}`, bearer('demo-key'), 404],
  ])('a key gives the right access to %s: %s', async (_what, path, authorization, status) => {
    const response = await get(path, authorization);

    expect(response.status).toBe(status);
    expect((await response.text()).includes('"code":"forbidden"')).toBe(status === 403);
  });

  it('a write to another project is refused before its body is read', async () => {
    const response = await fetch(`${app.origin}/api/projects/shop/desk/orders`, {
      method: 'POST',
      headers: { authorization: bearer('demo-key'), 'content-type': 'application/json' },
      body: '{',
    });

    expect(response.status).toBe(403);
  });
});
