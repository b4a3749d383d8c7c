import { type IncomingHttpHeaders } from 'node:http';
import { type ControllerOptions, type ModuleMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import { IsArray, IsIn, IsObject, IsString, isString } from 'class-validator';
import { withoutOuterSlashes } from '../http/path.js';
import { type OptionsSource } from '../options/async-options.js';
import {
  withDefaults,
  type OptionsOf,
  type OptionsOwner,
  Decorators,
  Must,
  OptionalFunction,
  Version,
} from '../options/check-options.js';
import { type PageTexts } from './browser/texts.js';

/** A project that the user may choose on the page. */
export interface PageProject {
  /** The `project_id` in the path of the routes. */
  readonly id: string;
  /** The name that the user reads. */
  readonly label: string;
}

/** The parts of a request that Express and Fastify share. Your guards may have added more. */
export interface PageRequest {
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Most guards put the user here. */
  readonly user?: unknown;
}

/** The settings that shape the module graph. They are static, also with `forRootAsync`. */
export class StaticPageSettings {
  /**
   * The path of the page. Your global prefix comes before it.
   * @default 'shipping'
   */
  @IsString() path = 'shipping';

  /**
   * The version of the page, as in `@Controller({ version })`.
   * @default VERSION_NEUTRAL
   */
  @Version() version: ControllerOptions['version'] = VERSION_NEUTRAL;

  /**
   * Decorators of all handlers of the page, for instance `UseGuards(StaffGuard)`. Guards run in the order in which they
   * are written.
   * @default []
   */
  @Decorators() decorators: MethodDecorator[] = [];

  /**
   * Modules that give the guards in `decorators` their dependencies.
   * @default []
   */
  @IsArray() imports: NonNullable<ModuleMetadata['imports']> = [];
}

/** The options that may come from a factory (`forRootAsync`), after the defaults are filled in. */
export class PageSettings {
  /**
   * The `http.path` of the mount that the page shows. You need it only if the module is mounted several times, or if
   * the routes have another prefix than the page: `v2/api/projects/:project_id/sales/orders` for routes with a URI
   * version, `../api/projects/:project_id/sales/orders` for routes that your global prefix excludes.
   */
  @Must('be a path', isString)
  routes?: string | undefined;

  /**
   * How the browser identifies the user to the routes. `cookie`: it sends the cookies of the page. `bearer`: the page
   * asks for a token, keeps it until the tab is closed, and sends no cookies.
   * @default 'cookie'
   */
  @IsIn(['cookie', 'bearer']) login: 'cookie' | 'bearer' = 'cookie';

  /**
   * The address of your login page. The page offers it to a user who is not signed in. `{page}` stands for the address
   * that leads back: `/login?next={page}`.
   */
  @Must("be an address such as '/login?next={page}'", isString)
  signInUrl?: string | undefined;

  /**
   * The page sends the value of this cookie in this header with each change, against CSRF. For instance
   * `{ cookie: 'XSRF-TOKEN', header: 'X-XSRF-TOKEN' }`.
   */
  @Must("be { cookie: 'XSRF-TOKEN', header: 'X-XSRF-TOKEN' }", isCsrf)
  csrf?: { cookie: string; header: string } | undefined;

  @OptionalFunction() projects?: ProjectsOf<never> | undefined;

  /**
   * Which sites may show the page in a frame: values of the directive `frame-ancestors`, such as `'self'` (with its
   * quotes) and `https://admin.example`. With the default, no site may.
   * @default []
   */
  @Must(`be an array of texts such as "'self'" and "https://admin.example"`, areSources)
  frameAncestors: string[] = [];

  /**
   * Your texts, by language. They replace texts of `pageTexts`, or add a language.
   * @default {}
   */
  @IsObject() texts: Record<string, OptionsOf<PageTexts>> = {};
}

type ProjectsOf<Request> = (request: Request) => readonly PageProject[] | Promise<readonly PageProject[]>;

/** All settings of one page. The provider of `PageSettings` has them. */
export type MountedPage = StaticPageSettings & PageSettings;

/** Options that shape the module graph. They are static, also with `forRootAsync`. */
export interface StaticPageOptions extends OptionsOf<StaticPageSettings> {}

interface DynamicPageOptions<Request> extends OptionsOf<Omit<PageSettings, 'projects'>> {
  /**
   * Returns the projects that this user may choose. Your guard has put the user on the request. It only fills the list
   * on the page: the guards of the routes decide. By default, the user writes the id of a project. Declare the parameter
   * with the type of your requests.
   * @example
   * ShippingPageModule.forRoot({
   *   projects: ({ user }: StaffRequest) => user.shops.map(({ id, name }) => ({ id, label: name })),
   * })
   */
  projects?: ProjectsOf<Request> | undefined;
}

/**
 * The options of `ShippingPageModule.forRoot()`: see docs/guide/page.md.
 * @typeParam Request the type of the request that `projects` gets
 */
export interface ShippingPageOptions<Request = PageRequest>
  extends StaticPageOptions, DynamicPageOptions<Request> {}

/**
 * The options that a factory of `ShippingPageModule.forRootAsync()` returns. `path`, `version`, `decorators` and
 * `imports` are static: they stand beside the factory.
 */
export interface ShippingPageFactoryOptions<Request = PageRequest>
  extends DynamicPageOptions<Request>, OptionsOf<Record<keyof StaticPageSettings, never>> {}

/** The options of `ShippingPageModule.forRootAsync()`. */
export type ShippingPageAsyncOptions<Request = PageRequest> = StaticPageOptions &
  OptionsSource<ShippingPageFactoryOptions<Request>>;

export const pageModule: OptionsOwner = {
  name: 'ShippingPageModule',
  staticOptions: new StaticPageSettings(),
};

/** @throws Error that names the option and what it may be */
export function staticPageSettingsOf(options: StaticPageOptions): StaticPageSettings {
  const { path, version, decorators, imports } = options;
  const settings = withDefaults(new StaticPageSettings(), { path, version, decorators, imports }, pageModule);
  return { ...settings, path: withoutOuterSlashes(settings.path) };
}

function areSources(value: unknown): boolean {
  // A header has only ASCII characters. In this one, ";" and "," end a list of sources.
  const isSource = (each: unknown): boolean =>
    typeof each === 'string' && /^[!-~]+$/.test(each) && !/[;,]/.test(each);
  return Array.isArray(value) && value.every(isSource);
}

function isCsrf(value: unknown): boolean {
  const { cookie, header } = Object(value) as { cookie?: unknown; header?: unknown };
  return typeof cookie === 'string' && typeof header === 'string';
}
