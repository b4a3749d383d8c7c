import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  type INestApplication,
  type NestInterceptor,
  RequestTimeoutException,
  StreamableFile,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { OrderEvents, ShippingModule } from 'nestjs-shipping';
import { catchError, finalize, from, merge, of } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';
import { answerWithMessage } from './hostile-host.js';

interface Signal {
  sent: Promise<void>;
  send: () => void;
}

function signal(): Signal {
  let send = (): void => undefined;
  const sent = new Promise<void>((resolve) => (send = resolve));
  return { sent, send };
}

describe.each(platformNames)('a streamed answer on %s', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  let timeout: Signal;
  let rest: Signal;
  let filtered: Signal;
  let handled: Signal;
  let abandoned: Signal;
  beforeAll(async () => {
    database = await testDatabase();
  });
  beforeEach(() => {
    [timeout, rest, filtered, handled, abandoned] = [signal(), signal(), signal(), signal(), signal()];
  });
  // The embedded database has one connection for all hosts: closing the app would close it too.
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(() => database?.close());

  const noting: NestInterceptor = {
    intercept: (_context, next) => next.handle().pipe(finalize(handled.send)),
  };
  /** The timeout interceptor of Nest's documentation, but a test decides when it fails. */
  const timingOut: NestInterceptor = {
    intercept: (_context, next) => {
      const late = timeout.sent.then(() => Promise.reject(new RequestTimeoutException()));
      return merge(next.handle().pipe(finalize(handled.send)), from(late));
    },
  };

  /** A host that answers every history with these pieces. */
  const mounted = async (
    pieces: () => AsyncGenerator<string, string, undefined>,
    configure: (app: INestApplication) => unknown,
  ): Promise<Client> => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    host = await listening(testing, configure, platform);
    Object.assign(host.app.get(OrderEvents), { json: pieces });
    return new Client(host.origin, freshProject());
  };

  async function* twoPieces(): AsyncGenerator<string, string, undefined> {
    try {
      yield '{"data":[';
      await rest.sent;
      return ']}';
    } finally {
      abandoned.send();
    }
  }

  @Catch()
  class NestsFilter extends BaseExceptionFilter {
    override catch(exception: unknown, to: ArgumentsHost): void {
      BaseExceptionFilter.prototype.catch.call(this, exception, to);
      filtered.send();
    }
  }
  @Catch()
  class HostsFilter implements ExceptionFilter {
    catch(exception: unknown, to: ArgumentsHost): void {
      answerWithMessage(exception, to);
      filtered.send();
    }
  }

  it.each([
    ['Nest’s filter', (app: INestApplication) => new NestsFilter(app.getHttpAdapter())],
    ['a filter of the host', () => new HostsFilter()],
  ])('is complete even when an interceptor fails meanwhile and %s answers', async (_title, filter) => {
    const shop = await mounted(twoPieces, (app) =>
      app.useGlobalInterceptors(timingOut).useGlobalFilters(filter(app)),
    );

    const answer = await fetch(`${shop.origin}${shop.base}/o/events`);
    timeout.send();
    await filtered.sent;
    rest.send();

    expect([answer.status, await answer.text()]).toEqual([200, '{"data":[]}']);
  });

  it('is complete even when an interceptor replaces it meanwhile', async () => {
    const other = new StreamableFile(Readable.from(['something else']));
    const replacing: NestInterceptor = {
      intercept: (_context, next) => next.handle().pipe(catchError(() => of(other))),
    };
    const shop = await mounted(twoPieces, (app) => app.useGlobalInterceptors(replacing, timingOut));

    const answer = await fetch(`${shop.origin}${shop.base}/o/events`);
    timeout.send();
    await once(other.getStream(), 'close');
    rest.send();

    expect([answer.status, await answer.text()]).toEqual([200, '{"data":[]}']);
  });

  it('that has not begun gives way to the host’s answer, and is abandoned', async () => {
    const shop = await mounted(
      async function* () {
        await rest.sent;
        return yield* twoPieces();
      },
      (app) => app.useGlobalInterceptors(timingOut),
    );

    const answering = shop.events('o');
    timeout.send();
    const { status } = await answering;
    rest.send();
    await abandoned.sent;

    expect(status).toBe(408);
  });

  it('is abandoned when its connection closes, and so are the pipelined requests behind it', async () => {
    let begun = 0;
    let ended = 0;
    const counting: NestInterceptor = {
      intercept: (_context, next) => next.handle().pipe(finalize(() => ++ended === 12 && handled.send())),
    };
    async function* endless(): AsyncGenerator<string, string, undefined> {
      if (++begun === 12) rest.send();
      for (;;) yield ' '.repeat(65_536);
    }
    const shop = await mounted(endless, (app) => app.useGlobalInterceptors(counting));

    const socket = connect(Number(new URL(shop.origin).port), '127.0.0.1').pause();
    socket.write(`GET ${shop.base}/o/events HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(12));
    await rest.sent;
    socket.destroy();
    await handled.sent;

    expect(ended).toBe(12);
  });

  const broken = async (): Promise<never> => {
    throw new Error('Of a hook.');
  };
  const replaced = async (): Promise<string> => '{"replaced":true}';
  it.runIf(platform === 'Fastify').each([
    ['fails', broken, 500],
    ['sends something else', replaced, 200],
  ])('is abandoned when a hook %s', async (_title, hook, expected) => {
    async function* endless(): AsyncGenerator<string, string, undefined> {
      for (;;) yield ' ';
    }
    const shop = await mounted(endless, (app) => {
      const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
      fastify.addHook('onSend', (_request, reply) => (reply.statusCode === 200 ? hook() : Promise.resolve()));
      app.useGlobalInterceptors(noting);
    });

    const { status } = await shop.events('o');
    await handled.sent;

    expect(status).toBe(expected);
  });
});
