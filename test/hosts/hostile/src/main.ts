import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import compression from 'compression';
import { OrderEvents } from 'nestjs-shipping';
import { shippingContract } from 'nestjs-shipping/testing';
import { gzipSync } from 'node:zlib';
import { AppModule } from './app.module.js';
import { setGlobals } from './globals.js';

const hosts = {
  Express: async () => {
    const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: ['warn', 'error'] });
    app.use(compression({ threshold: 0 }));
    return app;
  },
  Fastify: async () => {
    const adapter = new FastifyAdapter();
    const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, {
      logger: ['warn', 'error'],
    });
    // Like @fastify/compress, which needs another major for each major of Fastify.
    adapter.getInstance().addHook('onSend', async (_request, reply, payload) => {
      if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
      reply.header('content-encoding', 'gzip').removeHeader('content-length');
      return gzipSync(payload);
    });
    return app;
  },
};

async function main(): Promise<void> {
  for (const [platform, create] of Object.entries(hosts)) {
    const app = await create();
    setGlobals(app);
    await app.listen(0, '127.0.0.1');
    const target = { origin: await app.getUrl(), orderEvents: app.get(OrderEvents) };
    for (const { title, run } of shippingContract(() => target)) {
      await run();
      console.log(`✓ ${platform}: ${title}`);
    }
    await app.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
