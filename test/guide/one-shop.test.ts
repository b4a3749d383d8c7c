import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  NotFoundException,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// docs/guide/tenants.md shows this code.

/** Yours checks a token. */
@Injectable()
class UserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>();
    if (headers.authorization !== 'Bearer token') throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
class OneShopGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { params } = context.switchToHttp().getRequest<{ params: { project_id: string } }>();
    if (params.project_id !== 'main') throw new NotFoundException();
    return true;
  }
}

const shipping = ShippingModule.forRoot({ http: { decorators: [UseGuards(UserGuard, OneShopGuard)] } });

describe('one shop without tenants', () => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
    host = await listening(await compiled([typeOrm(database), shipping]));
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  const status = async (method: string, project: string, path: string, token = 'token'): Promise<number> => {
    const url = `${host.origin}/api/projects/${project}/sales/orders/${path}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(url, { method, headers, ...(method !== 'GET' && { body: '{}' }) })).status;
  };

  it.each([
    ['POST', 'shipments/methods', 400],
    ['GET', 'shipments/methods', 200],
    ['GET', 'shipments/methods/tree', 200],
    ['PATCH', 'shipments/methods/none', 400],
    ['DELETE', 'shipments/methods/none', 404],
    ['GET', '1001/events', 200],
  ])('has its project, and no other one: %s %s', async (method, path, opened) => {
    expect(await status(method, 'main', path)).toBe(opened);
    expect(await status(method, 'main', path, 'other')).toBe(401);
    for (const project of ['default', 'MAIN', 'shop']) expect(await status(method, project, path)).toBe(404);
  });
});
