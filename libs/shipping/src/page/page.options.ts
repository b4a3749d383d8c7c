import { type ControllerOptions, type ModuleMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import { IsArray, IsIn, isObject, IsString } from 'class-validator';
import { withoutOuterSlashes } from '../shipping.options.js';
import { checked, Decorators, Must, OptionalFunction, Version } from '../validation/check-options.js';
import { type PageTexts } from './browser/texts.js';

/** A project that the user may choose on the page. */
export interface PageProject {
  id: string;
  label: string;
}

/** The options of the page, after the defaults are filled in. */
export class PageSettings {
  /** The path of the page; by default `shipping`. The global prefix of the host comes before it. */
  @IsString() path = 'shipping';

  /** By default `VERSION_NEUTRAL`, as for the routes. */
  @Version() version: ControllerOptions['version'] = VERSION_NEUTRAL;

  /** Decorators of all handlers of the page, for instance `UseGuards(StaffGuard)`. Guards run as they are written. */
  @Decorators() decorators: MethodDecorator[] = [];

  /** Modules that give the guards in `decorators` their dependencies. */
  @IsArray() imports: NonNullable<ModuleMetadata['imports']> = [];

  /**
   * The `http.path` of the mount that the page shows. You need it only if the module is mounted several times, or if
   * the routes have another prefix than the page: `v2/api/projects/:project_id/sales/orders` for routes with a URI
   * version, `../api/projects/:project_id/sales/orders` for routes that your global prefix excludes.
   */
  @Must('be a path', (value) => value === undefined || typeof value === 'string')
  routes?: string;

  /**
   * How the browser identifies the user to the routes. By default it sends the cookies of the page. `bearer`: the
   * page asks for a token, keeps it until the tab is closed, and sends no cookies.
   */
  @IsIn(['cookie', 'bearer']) login: 'cookie' | 'bearer' = 'cookie';

  /** The page sends the value of this cookie in this header with each change, against CSRF. */
  @Must(
    "be { cookie: 'XSRF-TOKEN', header: 'X-XSRF-TOKEN' }",
    (value) => value === undefined || isCsrf(value),
  )
  csrf?: { cookie: string; header: string };

  /**
   * Returns the projects that this user may choose. Your guard has put the user on the request. It only fills the list
   * on the page: the guards of the routes decide. By default, the user writes the id of a project. The parameter has
   * the type `never`, so that you can declare it with the type of your requests.
   */
  @OptionalFunction() projects?: (request: never) => readonly PageProject[] | Promise<readonly PageProject[]>;

  /**
   * Which sites may show the page in a frame: values of the directive `frame-ancestors`, such as `'self'` (with its
   * quotes) and `https://admin.example`. By default none may.
   */
  @Must(`be an array of texts such as "'self'" and "https://admin.example"`, areSources)
  frameAncestors: string[] = [];

  /** Your texts, by language. They replace texts of `pageTexts`, or add a language. */
  @Must('be an object', isObject) texts: Record<string, Partial<PageTexts>> = {};
}

/** Options of the page: see docs/guide/page.md. */
export type ShippingPageOptions = Partial<PageSettings>;

/** @throws Error that names the option and what it may be */
export function pageSettingsOf(options: ShippingPageOptions): PageSettings {
  const settings = checked(new PageSettings(), options, '', 'ShippingPageModule');
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
