// Express, helmet, a global prefix, and a proxy that strips `/admin`.
import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import helmet from 'helmet';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { visit } from './visit.js';

@Module({
  imports: [
    embeddedTypeOrmModule(),
    ShippingModule.forRoot({ isGlobal: true }),
    ShippingPageModule.forRoot(),
  ],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
  app.use(helmet());
  app.setGlobalPrefix('backend');
  await app.listen(0, '127.0.0.1');
  const origin = await app.getUrl();
  const proxy = createServer((asked, response) => {
    const { method, headers, url = '' } = asked;
    const isOurs = url.startsWith('/admin/');
    if (!isOurs) return response.writeHead(404).end();
    const passed = request(origin + url.slice('/admin'.length), { method, headers }, (from) => {
      response.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(response);
    });
    asked.pipe(passed);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  await visit({ address: `http://127.0.0.1:${port}/admin/backend/shipping`, host: app });
  proxy.closeAllConnections();
  proxy.close();
  await app.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
