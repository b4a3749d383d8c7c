import { type ControllerOptions, VERSION_NEUTRAL } from '@nestjs/common';
import { Allow, IsBoolean } from 'class-validator';
import {
  withDefaults,
  Decorators,
  type OptionsOf,
  type OptionsOwner,
  Version,
} from '../validation/check-options.js';

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

/** The default path of the routes. */
export const defaultPath = 'api/projects/:project_id/sales/orders';

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

const owner: OptionsOwner = { name: 'ShippingModule' };

/** @throws Error that names the option and what it may be */
export function httpSettingsOf(options: ShippingHttpOptions): HttpSettings {
  const settings = withDefaults(new HttpSettings(), options, owner, 'http');
  projectParameterOf(settings.path);
  const path = withoutOuterSlashes(settings.path);
  const routeDecorators = withDefaults(
    new RouteDecorators(),
    settings.routeDecorators,
    owner,
    'http.routeDecorators',
  );
  return { ...settings, path, routeDecorators };
}

export function withoutOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/**
 * @param option the name of the option, for the error
 * @returns the name of the path parameter that is the project: `project_id`, or else the only one
 * @throws Error when no parameter is the project
 */
export function projectParameterOf(path: unknown, option = 'ShippingModule option "http.path"'): string {
  const segments = typeof path === 'string' ? path.split('/') : [];
  const parameters = segments.filter((segment) => /[:*{(]/.test(segment));
  const names = parameters.map((segment) => segment.slice(1));
  const [name] = names.length > 1 ? names.filter((each) => each === 'project_id') : names;
  const areWhole = parameters.every((segment) => /^:\w+$/.test(segment));
  const isReserved = names.includes('order_id') || names.includes('method_id');
  if (name !== undefined && areWhole && !isReserved) return name;
  throw new Error(
    `${option} must be a path with a parameter for the project, such as "tenants/:tenant/shipping". A parameter must be a ` +
      'whole segment of letters, digits and _. If there are several, the project must be ":project_id". None may be ' +
      '":order_id" or ":method_id", which our own routes have.',
  );
}
