import 'reflect-metadata';
import { gzipSync } from 'node:zlib';
import { type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import compression from 'compression';
import { OrderEventsService } from 'nestjs-shipping';
import { type ContractTarget, embeddedTypeOrmModule, shippingContract } from 'nestjs-shipping/testing';
import { AppModule } from './app.module.js';
import { guestChecks } from './checks.js';
import { setGlobals } from './globals.js';
import { guestHost, type Platform } from './guest-host.js';

interface Reply {
  header(name: string, value: string): Reply;
  removeHeader(name: string): Reply;
}

/** Like @fastify/compress, which needs another major for each major of Fastify. */
function compressFastify(app: INestApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', async (_request: unknown, reply: Reply, payload: unknown) => {
      if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
      reply.header('content-encoding', 'gzip').removeHeader('content-length');
      return gzipSync(payload);
    });
}

const platforms = {
  Express: {
    adapter: () => new ExpressAdapter(),
    compress: (app: INestApplication): void => void app.use(compression({ threshold: 0 })),
  },
  Fastify: { adapter: () => new FastifyAdapter(), compress: compressFastify },
};

async function keepsTheContract(platform: Platform): Promise<void> {
  const { adapter, compress } = platforms[platform];
  const app = await NestFactory.create(AppModule, adapter(), { logger: ['warn', 'error'] });
  compress(app);
  setGlobals(app);
  await app.listen(0, '127.0.0.1');
  const target: ContractTarget = {
    origin: await app.getUrl(),
    orderEvents: app.get(OrderEventsService),
    unwrap: (body) => body.data,
  };
  for (const { title, run } of shippingContract(() => target)) {
    await run();
    console.log(`✓ ${platform}: ${title}`);
  }
  await app.close();
}

async function isAGuest(platform: Platform): Promise<void> {
  const host = await guestHost(platform, embeddedTypeOrmModule(), platforms[platform].compress);
  for (const { title, run } of guestChecks) {
    await run(host);
    console.log(`✓ ${platform}: ${title}`);
  }
  await host.app.close();
}

async function main(): Promise<void> {
  for (const platform of ['Express', 'Fastify'] as const) {
    await keepsTheContract(platform);
    await isAGuest(platform);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
