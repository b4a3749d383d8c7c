import { Logger, type OnApplicationBootstrap, type OnModuleInit, type Type } from '@nestjs/common';
import { GUARDS_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { type ApplicationConfig, type HttpAdapterHost, type ModulesContainer } from '@nestjs/core';
import { type Mount, refuseSharedPrefix } from './mounts.js';
import { ShippingSettings } from './shipping.options.js';

/** Checks how the application uses a mount. It does not inject the options, because Nest must make it in any case. */
export class MountCheck implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly mount: Omit<Mount, 'settings'>,
    // Another copy of `@nestjs/core` provides none of these, and ShippingSettings then throws. Nest before 10.1.3 gives a
    // script no ApplicationConfig.
    private readonly modules?: ModulesContainer,
    private readonly application?: ApplicationConfig,
    private readonly server?: HttpAdapterHost,
  ) {}

  /** @throws Error that names the remedy, when options are request-scoped, or RouterModule gives two mounts a prefix */
  onModuleInit(): void {
    if (!this.modules) return;
    for (const { providers } of this.modules.values())
      if (providers.get(ShippingSettings)?.isDependencyTreeStatic() === false)
        throw new Error(
          'The options of ShippingModule depend on a request-scoped provider. But ShippingModule reads them once, when ' +
            'the application starts. Inject only providers of the default scope into forRootAsync().',
        );
    refuseSharedPrefix(this.modules, this.mount.module, 'http.path');
  }

  /** Warns of open routes. The host may set global guards until its application bootstraps. */
  onApplicationBootstrap(): void {
    const { http, controllers } = this.mount;
    // Tests of a host often mount the routes without its guards, and a script has no server.
    if (!http || !this.server?.httpAdapter || process.env['NODE_ENV'] === 'test') return;
    const globalGuards = [
      ...(this.application?.getGlobalGuards() ?? []),
      ...(this.application?.getGlobalRequestGuards() ?? []),
    ];
    const open = controllers.flatMap(openRoutes);
    if (globalGuards.length > 0 || open.length === 0) return;
    new Logger('ShippingModule').warn(
      `These routes at "${http.path}" have no guard, and the application has no global guard: ${open.join(', ')}. ` +
        'Everybody who can send a request can use them for every project. Add your guard: ' +
        'http: { decorators: [UseGuards(YourGuard)] }. If a middleware or a proxy protects the routes, or a route is ' +
        'public, add a guard that lets everybody in: UseGuards({ canActivate: () => true }). Then this warning disappears.',
    );
  }
}

/** Returns the names of the handlers that have no guard. A decorator may have put something else on the prototype. */
function openRoutes({ prototype }: Type): string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => {
    const handler: unknown = name === 'constructor' ? undefined : prototype[name];
    if (typeof handler !== 'function' || !Reflect.hasMetadata(PATH_METADATA, handler)) return false;
    const guards: unknown[] = Reflect.getMetadata(GUARDS_METADATA, handler) ?? [];
    return guards.length === 0;
  });
}
