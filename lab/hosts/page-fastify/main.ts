// Fastify, and a guard that reads a cookie and a CSRF token.
import 'reflect-metadata';
import { type CanActivate, type ExecutionContext, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { visit } from './visit.js';

class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, headers } = context
      .switchToHttp()
      .getRequest<{ method: string; headers: Record<string, string | undefined> }>();
    const isStaff = headers['cookie']?.includes('session=sam') === true;
    return isStaff && (method === 'GET' || headers['x-csrf'] === 'token-1');
  }
}

const decorators = [UseGuards(StaffGuard)];
const csrf = { cookie: 'csrf', header: 'X-CSRF' };

@Module({
  imports: [
    embeddedTypeOrmModule(),
    ShippingModule.forRoot({ isGlobal: true, http: { decorators } }),
    ShippingPageModule.forRoot({ path: 'staff/shipping', decorators, csrf }),
  ],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    logger: ['warn', 'error'],
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const address = `${url}/staff/shipping`;
  if ((await fetch(address)).status !== 403) throw new Error('The guard does not protect the page.');
  await visit({
    address,
    host: app,
    prepare: (context) =>
      context.addCookies([
        { name: 'session', value: 'sam', url, httpOnly: true },
        { name: 'csrf', value: 'token-1', url },
      ]),
  });
  await app.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
