import {
  type CanActivate,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

/** Like the guard in Nest's documentation, it lets everybody in where no role is asked for. */
function rolesGuard(rolesOf: (reflector: Reflector, context: ExecutionContext) => string[] | undefined) {
  @Injectable()
  class RolesGuard implements CanActivate {
    constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

    canActivate(context: ExecutionContext): boolean {
      const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      const roles = rolesOf(this.reflector, context);
      return roles === undefined || roles.includes(headers['x-role'] ?? '');
    }
  }
  return RolesGuard;
}

const guards: Record<string, Type<CanActivate>> = {
  'the handler': rolesGuard((reflector, context) => reflector.get('roles', context.getHandler())),
  'the handler, then the class': rolesGuard((reflector, context) =>
    reflector.getAllAndOverride('roles', [context.getHandler(), context.getClass()]),
  ),
  'the handler and the class': rolesGuard((reflector, context) =>
    reflector.getAllAndMerge('roles', [context.getHandler(), context.getClass()]),
  ),
};

/** @returns the status of each route for a caller with this role, for a method that does not exist */
async function statusesFor(role: string, { origin }: Host): Promise<number[]> {
  const shop = new Client(origin, freshProject());
  const { base } = shop;
  const headers = { 'x-role': role };
  const methods = `${base}/shipments/methods`;
  const responses = [
    await shop.create(ground, headers),
    await shop.list('', headers),
    await shop.tree(headers),
    await shop.update('none', ground, headers),
    await shop.remove('none', headers),
    await shop.send('GET', `${base}/o/events`, undefined, headers),
    await shop.send('HEAD', methods, undefined, headers),
  ];
  return responses.map(({ status }) => status);
}

const closed = [403, 403, 403, 403, 403, 403, 403];
const open = [201, 200, 200, 404, 404, 200, 200];

describe.each(platformNames)('on %s, a guard of roles', (platform) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(() => database?.close());

  it.each(Object.entries(guards))(
    'that reads %s lets in the roles of http.decorators',
    async (_what, RolesGuard) => {
      const testing = await compiled([
        typeOrm(database),
        ShippingModule.forRoot({ http: { decorators: [Roles('admin'), UseGuards(RolesGuard)] } }),
      ]);
      host = await listening(testing, () => undefined, platform);

      expect(await statusesFor('user', host)).toEqual(closed);
      expect(await statusesFor('admin', host)).toEqual(open);
    },
  );

  it.each(Object.entries(guards).filter(([what]) => what !== 'the handler and the class'))(
    'that reads %s lets in the roles of a route in place of those of the mount',
    async (_what, RolesGuard) => {
      const http = {
        decorators: [Roles('admin'), UseGuards(RolesGuard)],
        routeDecorators: { list: [Roles('user')] },
      };
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http })]);
      host = await listening(testing, () => undefined, platform);

      const [, , ...others] = closed;
      expect(await statusesFor('user', host)).toEqual([403, 200, ...others.slice(0, -1), 200]);
      expect((await statusesFor('admin', host)).slice(0, 3)).toEqual([201, 403, 200]);
    },
  );

  it('also guards a handler that is added to our controller', async () => {
    const RolesGuard = guards['the handler'] as Type<CanActivate>;
    const http = { decorators: [Roles('admin'), UseGuards(RolesGuard)] };
    const [mounted] = ShippingModule.forRoot({ http }).controllers ?? [];
    const { prototype } = Object.getPrototypeOf(mounted) as Type<object>;
    const added = { configurable: true, value: (): string => 'secret' };
    Object.defineProperty(prototype, 'added', added);
    Get('added')(prototype, 'added', added);
    onTestFinished(() => void Reflect.deleteProperty(prototype, 'added'));

    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http })]);
    host = await listening(testing, () => undefined, platform);

    const shop = new Client(host.origin, freshProject());
    const statusFor = async (role: string): Promise<number> =>
      (await shop.send('GET', `${shop.base}/added`, undefined, { 'x-role': role })).status;
    expect([await statusFor('user'), await statusFor('admin')]).toEqual([403, 200]);
  });

  it('does not see the metadata of another mount', async () => {
    const RolesGuard = guards['the handler'] as Type<CanActivate>;
    const testing = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ http: { decorators: [Roles('admin'), UseGuards(RolesGuard)] } }),
      ShippingModule.forRoot({
        http: { path: 'other/:project_id', decorators: [Roles('user'), UseGuards(RolesGuard)] },
      }),
    ]);
    host = await listening(testing, () => undefined, platform);

    expect(await statusesFor('user', host)).toEqual(closed);
    expect(await statusesFor('admin', host)).toEqual(open);
  });
});
