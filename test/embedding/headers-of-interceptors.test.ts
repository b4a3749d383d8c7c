import { type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { type ShippingMethodPage, ShippingModule, type ShippingTree } from 'nestjs-shipping';
import { map } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };

interface Response {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
}

const german = new Map([['Ground', 'Standard']]);

/** Translates the labels of lists and trees, and gives each translation an ETag of its own. */
const translating: NestInterceptor = {
  intercept: (context: ExecutionContext, next) => {
    const http = context.switchToHttp();
    const language = http.getRequest<{ headers: Record<string, string> }>().headers['accept-language'];
    if (language !== 'de') return next.handle();
    return next.handle().pipe(
      map((value: ShippingMethodPage | ShippingTree) => {
        const text = JSON.stringify(value, (name, label: unknown) =>
          name === 'method_label' ? (german.get(String(label)) ?? label) : label,
        );
        http.getResponse<Response>().header('ETag', `W/"de-${text.length}"`);
        return JSON.parse(text) as unknown;
      }),
    );
  },
};

const settingHeaders = (headers: Record<string, string>): NestInterceptor => ({
  intercept: (context, next) => {
    const response = context.switchToHttp().getResponse<Response>();
    for (const [name, text] of Object.entries(headers)) response.header(name, text);
    return next.handle();
  },
});

describe.each(platformNames)('on %s', (platform) => {
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

  it.each(['list', 'tree'] as const)(
    'a translated %s has the ETag of the interceptor, which alone is answered with 304',
    async (route) => {
      const shop = await mounted(translating);
      await shop.create(ground);
      const read = (headers: Record<string, string>) =>
        route === 'list' ? shop.list('', headers) : shop.tree(headers);

      const [inEnglish, inGerman] = [await read({}), await read({ 'accept-language': 'de' })];
      const [english, tag] = [inEnglish, inGerman].map(({ headers }) => headers.get('etag') ?? '');
      const held = await read({ 'accept-language': 'de', 'if-none-match': tag ?? '' });
      const others = [
        await read({ 'accept-language': 'de', 'if-none-match': english ?? '' }),
        await read({ 'if-none-match': tag ?? '' }),
      ];

      expect(tag).toMatch(/^W\/"de-\d+"$/);
      expect([held.status, held.text, held.headers.get('etag')]).toEqual([304, '', tag]);
      expect(others.map(({ status, text }) => [status, text])).toEqual([
        [200, inGerman.text],
        [200, inEnglish.text],
      ]);
      expect(inGerman.text).toContain('"method_label":"Standard"');
    },
  );

  it('the headers that an interceptor sets stay', async () => {
    const headers = { ETag: '"own"', Location: '/own', 'Cache-Control': 'private' };
    const shop = await mounted(settingHeaders(headers));

    const created = await shop.create(ground);
    const answers = [
      created,
      await shop.update(created.body.id, ground),
      await shop.list(),
      await shop.tree(),
    ];

    for (const answer of answers)
      for (const [name, text] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(text);
    expect((await shop.list('', { 'if-none-match': '"own"' })).status).toBe(304);
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
