import { type ControllerOptions, VERSION_NEUTRAL } from '@nestjs/common';
import { Allow, IsBoolean } from 'class-validator';
import { defaultPath, projectParameterOf, withoutOuterSlashes } from '../http/path.js';
import {
  withDefaults,
  Decorators,
  type OptionsOf,
  type OptionsOwner,
  Version,
} from '../options/check-options.js';

class RouteDecorators {
  @Decorators() create: MethodDecorator[] = [];
  @Decorators() list: MethodDecorator[] = [];
  @Decorators() tree: MethodDecorator[] = [];
  @Decorators() update: MethodDecorator[] = [];
  @Decorators() remove: MethodDecorator[] = [];
  @Decorators() events: MethodDecorator[] = [];
}

/** A route, by the name of its handler. */
export type ShippingRoute = keyof RouteDecorators;

export class HttpSettings {
  /**
   * The path of the routes, below your global prefix. The project is the parameter `:project_id`, or else the only
   * parameter, whatever its name is.
   * @default 'api/projects/:project_id/sales/orders'
   */
  @Allow() path = defaultPath;

  /**
   * The version of the routes, as in `@Controller({ version })`. With the default, your default version does not move
   * the routes.
   * @default VERSION_NEUTRAL
   */
  @Version() version: ControllerOptions['version'] = VERSION_NEUTRAL;

  /**
   * Decorators of all six handlers, for instance `UseGuards(JwtGuard)`. Guards and interceptors run in the order in
   * which they are written. A guard finds metadata by `context.getHandler()`, not by `context.getClass()`.
   * @default []
   */
  @Decorators() decorators: MethodDecorator[] = [];

  /**
   * `true`: a filter of the mounted controllers sends our errors as problem details (RFC 9457). `false`: our errors,
   * which are Nest's `HttpException`s, go to your filters.
   * @default true
   */
  @IsBoolean() problemDetails = true;

  /**
   * Decorators of single handlers: `create`, `list`, `tree`, `update`, `remove`, `events`. They come after those of
   * `decorators`, and their metadata wins.
   * @default {}
   */
  @Allow() routeDecorators: OptionsOf<RouteDecorators> = {};
}

/** How the six routes are mounted. */
export interface ShippingHttpOptions extends OptionsOf<HttpSettings> {}

/** @throws Error that names the option and what it may be */
export function httpSettingsOf(options: ShippingHttpOptions, owner: OptionsOwner): HttpSettings {
  const settings = withDefaults(new HttpSettings(), options, owner, 'http');
  projectParameterOf(settings.path);
  return {
    ...settings,
    path: withoutOuterSlashes(settings.path),
    routeDecorators: withDefaults(
      new RouteDecorators(),
      settings.routeDecorators,
      owner,
      'http.routeDecorators',
    ),
  };
}
