import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Inject,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ProjectRequest, shipping } from './project-guard.js';
import { AuthModule, Tokens } from './tokens.js';

// docs/guide/guards.md shows this code.

/** For projects whose ids are in a column that ignores case, such as a `uuid` of PostgreSQL. */
@Injectable()
class CaseIgnoringGuard implements CanActivate {
  constructor(@Inject(Tokens) private readonly tokens: Tokens) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ProjectRequest>();
    const user = this.tokens.userOf(request.headers.authorization?.replace('Bearer ', ''));
    const sought = request.params.project_id.toLowerCase();
    const project = ['default', ...user.projects].find((id) => id.toLowerCase() === sought);
    if (project === undefined) return false;
    request.params.project_id = project;
    return true;
  }
}

const ignoringCase = ShippingModule.forRoot({
  imports: [AuthModule],
  http: { path: 'stores/:project_id', decorators: [UseGuards(CaseIgnoringGuard)] },
});

describe('the shipping routes', () => {
  let database: TestDatabase;
  let app: INestApplication;
  let origin: string;
  let target: ContractTarget;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), shipping, ignoringCase]);
    app = testing.createNestApplication({ logger: ['error', 'warn'] });
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
    target = {
      origin,
      orderEvents: app.get(OrderEventsService),
      headers: { authorization: 'Bearer token-of-acme' },
      projectId: () => 'acme',
    };
  });
  afterAll(async () => {
    await app?.close();
    await database?.close();
  });

  /** The query, a header and the body name a project that the caller may see. Only the path may count. */
  const status = async (method: string, path: string, token: string, project = 'acme'): Promise<number> => {
    const own = token === 'token-of-globex' ? 'globex' : 'acme';
    const url = `${origin}/api/projects/${project}/sales/orders/${path}?project_id=${own}`;
    const body = method === 'GET' ? undefined : JSON.stringify({ project_id: own });
    const headers = {
      authorization: `Bearer ${token}`,
      'x-project-id': own,
      ...(body && { 'content-type': 'application/json' }),
    };
    return (await fetch(url, { method, headers, body })).status;
  };
  const routes = [
    ['POST', 'shipments/methods', 400],
    ['GET', 'shipments/methods', 200],
    ['GET', 'shipments/methods/tree', 200],
    ['PATCH', 'shipments/methods/none', 400],
    ['DELETE', 'shipments/methods/none', 404],
    ['GET', '1001/events', 200],
  ] as const;

  it.each(routes)('%s %s is closed to strangers and other tenants', async (method, path, opened) => {
    expect(await status(method, path, '')).toBe(401);
    expect(await status(method, path, 'token-of-globex')).toBe(403);
    expect(await status(method, path, 'token-of-a-clerk')).toBe(method === 'GET' ? opened : 403);
    expect(await status(method, path, 'token-of-acme')).toBe(opened);
    expect(await status(method, path, 'token-of-acme', 'ACME')).toBe(403);
  });

  it.each(routes)('%s %s of the defaults project is open only to staff', async (method, path, opened) => {
    expect(await status(method, path, 'token-of-a-tenant-named-default', 'default')).toBe(403);
    expect(await status(method, path, 'token-of-staff', 'default')).toBe(opened);
  });

  it('a guard that ignores case passes on the project that it has found', async () => {
    const read = async (project: string): Promise<[number, string]> => {
      const url = `${origin}/stores/${project}/shipments/methods`;
      const response = await fetch(url, { headers: { authorization: 'Bearer token-of-acme' } });
      return [response.status, await response.text()];
    };
    const method = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
    const methods = app.get(ShippingMethodsService);
    const { id } = await methods.create('acme', method);

    expect(await read('ACME')).toEqual(await read('acme'));
    expect((await read('ACME'))[1]).toContain(id);
    await methods.remove('acme', id);
  });

  const checks = shippingContract(() => target, { without: ['defaults'] });
  for (const { title, run } of checks) it(title, () => run());
});
