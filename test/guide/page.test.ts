import { type CanActivate, type ExecutionContext, UnauthorizedException, UseGuards } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled, listening, type Host, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// docs/guide/page.md shows this code.

interface StaffRequest {
  params: { project_id?: string };
  headers: { cookie?: string };
  user?: { shops: { id: string; name: string }[] };
}

/** Stands for the guard of a host, which finds the user of a session. */
class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<StaffRequest>();
    if (!request.headers.cookie?.includes('session=sam')) throw new UnauthorizedException();
    request.user = { shops: [{ id: 'acme', name: 'Acme' }] };
    return true;
  }
}

/** Stands for the guard of its routes, which also checks the project. */
class ShopGuard extends StaffGuard {
  override canActivate(context: ExecutionContext): boolean {
    super.canActivate(context);
    const { params, user } = context.switchToHttp().getRequest<StaffRequest>();
    return Boolean(user?.shops.some(({ id }) => id === params.project_id));
  }
}

const decorators = [UseGuards(ShopGuard)];
const shipping = ShippingModule.forRoot({ isGlobal: true, http: { decorators } });
const page = ShippingPageModule.forRoot({
  path: 'shipping',
  decorators: [UseGuards(StaffGuard)],
  projects: ({ user }: StaffRequest) => user?.shops.map(({ id, name }) => ({ id, label: name })) ?? [],
});

/** The same page, for a backend whose clients send a token. */
const withToken = ShippingPageModule.forRoot({ path: 'tokens', login: 'bearer' });

const translated = ShippingPageModule.forRoot({
  path: 'translated',
  texts: { en: { title: 'Delivery' }, nl: { title: 'Verzending', methods: 'Verzendmethoden' } },
});

let database: TestDatabase;
let host: Host;
beforeAll(async () => {
  database = await testDatabase();
  host = await listening(await compiled([typeOrm(database), shipping, page, withToken, translated]));
});
afterAll(async () => {
  await host?.app.close();
  await database?.close();
});

it('the page is for those whom the guard lets in, and offers their projects', async () => {
  const [refused, allowed, open] = await Promise.all([
    fetch(`${host.origin}/shipping`),
    fetch(`${host.origin}/shipping`, { headers: { cookie: 'session=sam' } }),
    fetch(`${host.origin}/tokens`),
  ]);

  expect([refused.status, allowed.status, open.status]).toEqual([401, 200, 200]);
  expect(await allowed.text()).toContain(
    '{&quot;id&quot;:&quot;acme&quot;,&quot;label&quot;:&quot;Acme&quot;}',
  );
  expect(await (await fetch(`${host.origin}/translated`)).text()).toContain('Verzendmethoden');
});

it('the routes that the page calls are closed to staff of other projects', async () => {
  const statusOf = async (project: string): Promise<number> => {
    const url = `${host.origin}/api/projects/${project}/sales/orders/shipments/methods`;
    return (await fetch(url, { headers: { cookie: 'session=sam' } })).status;
  };

  expect(await Promise.all(['acme', 'globex'].map(statusOf))).toEqual([200, 403]);
});
