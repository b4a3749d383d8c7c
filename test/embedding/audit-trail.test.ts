import { type CallHandler, type ExecutionContext, type NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

interface Audited {
  method: string;
  body?: { createdBy?: string };
  audit?: { createdBy: string };
}

/** An interceptor as many hosts have it: it writes the name of the user into every body. */
class AuditTrail implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Audited>();
    if (request.body) request.body.createdBy = 'ann';
    return next.handle();
  }
}

class AuditTrailBesideTheBody implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Audited>();
    request.audit = { createdBy: 'ann' };
    return next.handle();
  }
}

class AuditTrailOfOwnRoutes implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Audited>();
    const targets = [context.getHandler(), context.getClass()];
    const isAudited = this.reflector.getAllAndOverride('audit', targets) !== false;
    if (isAudited && request.body) request.body.createdBy = 'ann';
    return next.handle();
  }
}

describe.each(platformNames)('an audit trail on %s', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  const created = async (interceptor: NestInterceptor) => {
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ http: { decorators: [SetMetadata('audit', false)] } }),
    ]);
    host = await listening(testing, (app) => app.useGlobalInterceptors(interceptor), platform);
    const response = await new Client(host.origin, freshProject()).create(ground);
    // The embedded database has one connection for all hosts: closing the app would close it too.
    host.app.getHttpServer().close();
    return response;
  };

  it('that adds a key to every body makes a create fail', async () => {
    const { status, body } = await created(new AuditTrail());

    expect([status, body['errors']]).toMatchObject([400, [{ pointer: '/createdBy', code: 'unknown' }]]);
  });

  it.each([
    ['that writes to the request instead of its body', new AuditTrailBesideTheBody()],
    ['that skips our routes by their metadata', new AuditTrailOfOwnRoutes(new Reflector())],
  ])('%s does not affect our responses', async (_title, interceptor) => {
    expect((await created(interceptor)).status).toBe(201);
  });
});
