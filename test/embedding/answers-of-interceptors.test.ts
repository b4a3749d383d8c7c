import { type NestInterceptor } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { catchError, concatMap, of, tap } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const apologising: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(catchError(() => of({ sorry: true }))),
};

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

  it('that runs the handler again, after a change, answers with the second answer and its tag', async () => {
    let isChanged = false;
    const again: NestInterceptor = {
      intercept: (_context, next) =>
        isChanged ? next.handle() : next.handle().pipe(concatMap(create), concatMap(() => next.handle())),
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

  it.runIf(platform === 'Fastify')(
    'that looks at a value leaves its JSON to the serializer of the host',
    async () => {
      const looking: NestInterceptor = {
        intercept: (_context, next) => next.handle().pipe(tap(JSON.stringify)),
      };
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
      host = await listening(
        testing,
        (app) => {
          const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
          fastify.setReplySerializer((payload) => JSON.stringify({ by: 'host', payload }));
          app.useGlobalInterceptors(looking);
        },
        platform,
      );
      const shop = new Client(host.origin, freshProject());

      const answers = [await shop.list(), await shop.tree(), await shop.events('o')];

      expect(answers.map(({ body }) => body)).toMatchObject(answers.map(() => ({ by: 'host' })));
    },
  );
});
