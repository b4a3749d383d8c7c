import { type ModuleMetadata } from '@nestjs/common';
import { IsArray, IsBoolean, IsInt, IsObject, isObject, IsString, Max, Min } from 'class-validator';
import { type EntityManager } from 'typeorm';
import { type OptionsSource } from '../options/async-options.js';
import {
  withDefaults,
  Must,
  OptionalFunction,
  type OptionsOf,
  type OptionsOwner,
} from '../options/check-options.js';
import { type EventHook, type EventSettings } from '../order-events/event-settings.js';
import { type ChangeHook, type MethodSettings } from '../shipping-methods/method-settings.js';
import { identifierPattern } from '../validation/text.js';
import { httpSettingsOf, type ShippingHttpOptions } from './http.options.js';

/**
 * Your code that runs before the COMMIT, on the manager of the transaction, for instance to write an outbox or an audit
 * trail. If it throws, everything is rolled back, and the caller gets the error. If a call loses a race, it is repeated,
 * and so is the hook. So send mails after the commit. A promise that a hook returns is awaited.
 * @example
 * const outbox: BeforeCommit = {
 *   change: (change, manager) => manager.insert(Outbox, { topic: `method.${change.type}`, payload: change }),
 * };
 */
export class BeforeCommit {
  /** Runs for each change of a method. */
  @OptionalFunction() change?: ChangeHook | undefined;

  /** Runs for each new event of an order. A repeated `dedupe_key` is not a new event. */
  @OptionalFunction() event?: EventHook | undefined;
}

/** The options that may come from a factory (`forRootAsync`), after the defaults are filled in. */
export class ShippingSettings implements MethodSettings, EventSettings {
  /**
   * The id of the project whose methods are the defaults of `use_default`.
   * @default 'default'
   */
  @Must('be an id: a letter, a digit or _, and then at most 63 letters, digits and _ . : -', isIdentifier)
  defaultsProjectId = 'default';

  /**
   * The largest `per_page` of a list, 1 to 100.
   * @default 100
   */
  @IsInt() @Min(1) @Max(100) maxPageSize = 100;

  /**
   * How many methods a project may hold, 1 to 10,000.
   * @default 1000
   */
  @IsInt() @Min(1) @Max(10_000) maxMethods = 1000;

  /**
   * The size of the cache of this mount, in each process, in bytes. `false`: no cache. The cache has the methods of
   * projects, and the JSON of lists and trees. Before each response, the database is asked whether the cached value is
   * current. Checked queries of URLs, some 250 kB, are kept beside this cache, also with `false`.
   * @default { maxBytes: 33_554_432 }
   */
  @Must('be false or { maxBytes: a number of bytes }', isCache)
  cache: false | { maxBytes: number } = { maxBytes: 32 * 1024 * 1024 };

  /**
   * Hooks that run for what this mount changes and records, in its transaction, before the COMMIT.
   * @default {}
   */
  @IsObject() beforeCommit: BeforeCommit = {};

  /**
   * Returns the manager of the ambient transaction, or undefined if there is none. A call without `{ manager }` then
   * becomes part of this transaction. nestjs-cls needs this option, and typeorm-transactional does not.
   * @example
   * ShippingModule.forRootAsync({
   *   inject: [TransactionHost],
   *   useFactory: (host: TransactionHost<TransactionalAdapterTypeOrm>) => ({
   *     entityManager: () => (host.isTransactionActive() ? host.tx : undefined),
   *   }),
   * })
   */
  @OptionalFunction() entityManager?: (() => EntityManager | undefined) | undefined;
}

export class StaticSettings {
  /**
   * `true`: every module can inject the services without importing `ShippingModule`.
   * @default false
   */
  @IsBoolean() isGlobal = false;

  /**
   * The name of the TypeORM DataSource, as in `@InjectDataSource(name)`. With the default, it is the DataSource without a
   * name.
   * @default 'default'
   */
  @IsString() dataSource = 'default';

  /**
   * Modules that give the guards in `http.decorators` their dependencies. If one is missing, Nest reports it at boot,
   * unless the dependency is `@Optional()`.
   * @default []
   */
  @IsArray() imports: NonNullable<ModuleMetadata['imports']> = [];

  /**
   * How the routes are mounted. `false`: there are no routes, only the services.
   * @default {}
   */
  @Must('be false or an object', (value) => value === false || isObject(value))
  http: false | ShippingHttpOptions = {};
}

/** Options that shape the module graph. They are static, also with `forRootAsync`. */
export interface StaticOptions extends OptionsOf<StaticSettings> {}

/** The options of `ShippingModule.forRoot()`. Each has a default. */
export interface ShippingModuleOptions extends StaticOptions, OptionsOf<ShippingSettings> {}

/**
 * The options that a factory of `ShippingModule.forRootAsync()` returns. `isGlobal`, `dataSource`, `imports` and `http`
 * are static: they stand beside the factory.
 */
export interface ShippingFactoryOptions
  extends OptionsOf<ShippingSettings>, OptionsOf<Record<keyof StaticSettings, never>> {}

/**
 * A class for `useClass` and `useExisting` of `ShippingModule.forRootAsync()`.
 * @example
 * class FromConfig implements ShippingOptionsFactory {
 *   constructor(private readonly config: ConfigService) {}
 *   create = () => ({ maxMethods: this.config.get('MAX_METHODS') });
 * }
 */
export interface ShippingOptionsFactory {
  /** Nest calls it once, when the application starts. */
  create(): ShippingFactoryOptions | Promise<ShippingFactoryOptions>;
}

/** The options of `ShippingModule.forRootAsync()`: one of `useFactory`, `useClass` and `useExisting`, and static ones. */
export type ShippingModuleAsyncOptions = StaticOptions & OptionsSource<ShippingFactoryOptions>;

export const shippingModule: OptionsOwner = { name: 'ShippingModule', staticOptions: new StaticSettings() };

/** @throws Error that names the option and what it may be */
export function settingsOf(options: OptionsOf<ShippingSettings>): ShippingSettings {
  const settings = withDefaults(new ShippingSettings(), options, shippingModule);
  return {
    ...settings,
    beforeCommit: withDefaults(new BeforeCommit(), settings.beforeCommit, shippingModule, 'beforeCommit'),
  };
}

/** @throws Error that names the option and what it may be */
export function staticSettingsOf({ isGlobal, dataSource, imports, http }: StaticOptions) {
  const given = { isGlobal, dataSource, imports, http };
  const settings = withDefaults(new StaticSettings(), given, shippingModule);
  return { ...settings, http: settings.http && httpSettingsOf(settings.http, shippingModule) };
}

function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' && identifierPattern.test(value);
}

function isCache(value: unknown): boolean {
  const { maxBytes, ...others } = Object(value) as { maxBytes?: unknown };
  const isSize = Number.isSafeInteger(maxBytes) && Number(maxBytes) >= 0;
  return value === false || (isSize && Object.keys(others).length === 0);
}
