import { type CanActivate, Injectable, type ModuleMetadata, Scope, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';
import { wrapping } from './route-wrapper.js';

const guard: CanActivate = { canActivate: () => true };

@Injectable({ scope: Scope.REQUEST })
class GuardOfRequest implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

type Options = NonNullable<Parameters<typeof ShippingModule.forRoot>[0]>;
type Http = Exclude<Options['http'], false>;

describe('at boot, the module', () => {
  let database: TestDatabase;
  let lines: string[];
  beforeAll(async () => {
    database = await testDatabase();
  });
  beforeEach(() => {
    lines = [];
    vi.stubEnv('NODE_ENV', 'production');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(() => database?.close());

  interface Boot {
    mounts?: Http[];
    more?: ModuleMetadata;
    globalGuards?: CanActivate[];
  }

  const booted = async ({ mounts = [{}], more = {}, globalGuards = [] }: Boot): Promise<string[]> => {
    const imports = mounts.map((http) => ShippingModule.forRoot({ http }));
    const testing = await compiled([typeOrm(database), ...imports], more);
    const note = (line: unknown, context?: unknown): void => {
      if (context === 'ShippingModule') lines.push(String(line));
    };
    const logger = { log: () => undefined, warn: note, error: note };
    await testing
      .createNestApplication({ logger })
      .useGlobalGuards(...globalGuards)
      .init();
    return lines;
  };

  it('warns once of routes without a guard, and says how to close them or to silence it', async () => {
    const [warning, ...others] = await booted({});

    expect(others).toEqual([]);
    expect(warning).toContain('"api/projects/:project_id/sales/orders" have no guard');
    expect(warning).toMatch(/: create, list, tree, update, remove, events\. /);
    expect(warning).toContain('http: { decorators: [UseGuards(YourGuard)] }');
    expect(warning).toContain('UseGuards({ canActivate: () => true })');
  });

  it('warns of a decorator that is no guard', async () => {
    expect(await booted({ mounts: [{ decorators: [wrapping((next) => next())] }] })).toHaveLength(1);
  });

  it('warns of the routes that are open beside a route with a guard', async () => {
    const [warning] = await booted({ mounts: [{ routeDecorators: { list: [UseGuards(guard)] } }] });

    expect(warning).toMatch(/: create, tree, update, remove, events\. /);
  });

  it('reads only routes, and an empty list of guards is none', async () => {
    const keeps: MethodDecorator = (prototype) => void Object.assign(prototype, { kept: 1, map: new Map() });
    expect(await booted({ mounts: [{ decorators: [keeps, UseGuards(guard)] }] })).toEqual([]);

    const [warning] = await booted({ mounts: [{ decorators: [UseGuards()] }] });

    expect(warning).toMatch(/: create, list, tree, update, remove, events\. /);
  });

  it('warns only of the mount without a guard', async () => {
    const mounts = [{ decorators: [UseGuards(guard)] }, { path: 'second/:project_id' }];

    const warnings = await booted({ mounts });

    expect(warnings).toEqual([expect.stringContaining('"second/:project_id" have no guard')]);
  });

  it.each<[host: string, boot: Boot]>([
    ['a guard on the mount', { mounts: [{ decorators: [UseGuards(guard)] }] }],
    ['the guard of the warning', { mounts: [{ decorators: [UseGuards({ canActivate: () => true })] }] }],
    [
      'a guard below a decorator that wraps the handler',
      { mounts: [{ decorators: [UseGuards(guard), wrapping((next) => next())] }] },
    ],
    ['useGlobalGuards()', { globalGuards: [guard] }],
    ['APP_GUARD', { more: { providers: [{ provide: APP_GUARD, useValue: guard }] } }],
    [
      'a request-scoped APP_GUARD',
      { more: { providers: [{ provide: APP_GUARD, useClass: GuardOfRequest }] } },
    ],
    ['no routes', { mounts: [] }],
  ])('does not warn a host with %s', async (_host, boot) => {
    expect(await booted(boot)).toEqual([]);
  });

  it('does not warn a host without routes, nor a test', async () => {
    await (
      await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })])
    )
      .createNestApplication()
      .init();
    vi.stubEnv('NODE_ENV', 'test');

    expect(await booted({})).toEqual([]);
  });
});
