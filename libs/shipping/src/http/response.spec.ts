import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type HttpResponse } from './request.js';
import { type Pieces, streamJson } from './response.js';

type Answer = (response: HttpResponse) => Promise<void>;

/** A minimal server with responses like those of Express: the response of Node with three more methods. */
function expressLike(answer: Answer): Server {
  const listener: RequestListener = (_request, node) => {
    const response = Object.assign(node, {
      status: (code: number) => Object.assign(node, { statusCode: code }),
      header: (name: string, value: string) => node.setHeader(name, value),
      send: (body?: unknown) => node.end(body),
    });
    void answer(response);
  };
  return createServer(listener);
}

async function onFastify(answer: Answer): Promise<Server> {
  const app = fastify();
  app.get('/', async (_request, reply) => {
    await answer(reply as HttpResponse);
    return reply;
  });
  await app.ready();
  return app.server;
}

/** @param ending thrown after the last piece */
async function* pieces(sizes: readonly number[], ending?: Error): Pieces {
  for (const size of sizes) yield 'x'.repeat(size);
  if (ending) throw ending;
  return 'end';
}

describe.each<[string, (answer: Answer) => Promise<Server>]>([
  ['Express', (answer) => Promise.resolve(expressLike(answer))],
  ['Fastify', onFastify],
])('an answer in pieces on %s', (_name, serverOf) => {
  let server: Server;
  let logged: MockInstance;
  let sent: Pieces;
  beforeEach(async () => {
    logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    server = await serverOf((response) => streamJson(response, sent));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const read = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).text();

  it.each([[[]], [[1]], [[3, 70_000, 1]]])(
    'of these numbers of characters is complete: %j',
    async (sizes) => {
      sent = pieces(sizes);

      expect(await read()).toBe(`${sizes.map((size) => 'x'.repeat(size)).join('')}end`);
      expect(logged).not.toHaveBeenCalled();
    },
  );

  it.each([[[1]], [[70_000]], [[1, 70_000]]])(
    'that fails after these numbers of characters breaks its connection, and is logged: %j',
    async (sizes) => {
      sent = pieces(sizes, new Error('no more'));

      await expect(read()).rejects.toThrow('terminated');
      expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('no more'));
    },
  );
});
