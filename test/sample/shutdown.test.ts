import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { Controller, Get } from '@nestjs/common';
import { expect, it, vi } from 'vitest';
import { IdleConnections } from '../../apps/sample/src/idle-connections.js';
import { compiled, listening, platformNames } from '../embedding/host.js';

let complete = (): void => undefined;
let hasBegun = (): void => undefined;

@Controller()
class SlowController {
  @Get('slow')
  async slow(): Promise<string> {
    hasBegun();
    await new Promise<void>((resolve) => (complete = resolve));
    return 'complete';
  }
}

it.each(platformNames)(
  'an application on %s stops with its last request, although the client stays',
  async (platform) => {
    const testing = await compiled([], { controllers: [SlowController], providers: [IdleConnections] });
    const { app, origin } = await listening(testing, undefined, platform);
    const began = new Promise<void>((resolve) => (hasBegun = resolve));
    const request = get(`${origin}/slow`, { agent: new Agent({ keepAlive: true }) });
    const responded = once(request, 'response') as Promise<[IncomingMessage]>;
    await began;

    const closed = app.close();
    await vi.waitUntil(() => !app.getHttpServer().listening);
    const since = Date.now();
    complete();
    const [response] = await responded;
    response.resume();
    await closed;

    expect(response.statusCode).toBe(200);
    expect(Date.now() - since).toBeLessThan(3_000);
  },
);
