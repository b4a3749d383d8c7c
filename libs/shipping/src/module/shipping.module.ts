import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  Optional,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource } from 'typeorm';
import { Database } from '../database/database.js';
import { checkAsyncOptions } from '../options/async-options.js';
import { objectOf, type OptionsOf, refuseUnknown } from '../options/check-options.js';
import { EventSettings } from '../order-events/event-settings.js';
import { OrderEventsService } from '../order-events/order-events.service.js';
import { ListQueryCache } from '../shipping-methods/list/list-query-cache.js';
import { MethodSettings } from '../shipping-methods/method-settings.js';
import { ShippingMethodsService } from '../shipping-methods/shipping-methods.service.js';
import { MethodStore } from '../shipping-methods/store/method-store.js';
import { controllersFor } from './mounted-controllers.js';
import { otherNestTypeOrmError, refuseOtherNest } from './copies.js';
import { MountCheck } from './mount-check.js';
import { addMount } from './mounts.js';
import { mountOneFormat } from './one-format.js';
import { SchemaCheck } from './schema-check.js';
import { shippingEntities } from './shipping-entities.js';
import {
  settingsOf,
  shippingModule,
  type ShippingModuleAsyncOptions,
  type ShippingModuleOptions,
  ShippingSettings,
  type StaticOptions,
  StaticSettings,
  staticSettingsOf,
} from './shipping.options.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  // Nest 10 identifies a dynamic module by its serialised metadata, so two equal mounts would become one.
  new ConfigurableModuleBuilder<OptionsOf<ShippingSettings>>({
    moduleName: 'Shipping',
    alwaysTransient: true,
  })
    .setClassMethodName('forRoot')
    .setExtras<StaticOptions>(new StaticSettings(), shippingDefinition)
    .build();

function shippingDefinition(definition: DynamicModule, extras: StaticOptions): DynamicModule {
  mountOneFormat();
  const { isGlobal, dataSource, imports, http } = staticSettingsOf(extras);
  // This registers our entities for `autoLoadEntities`. We do not import it, because we inject no repositories.
  TypeOrmModule.forFeature(shippingEntities, dataSource);
  const controllers = http ? controllersFor(http) : [];
  const mount = { module: definition.module, dataSource, http, controllers };
  return {
    ...definition,
    global: isGlobal,
    imports: [...(definition.imports ?? []), ...imports],
    controllers,
    providers: [
      ...(definition.providers ?? []),
      {
        provide: ShippingSettings,
        useFactory: (options: OptionsOf<ShippingSettings>, modules?: ModulesContainer) => {
          refuseOtherNest(modules !== undefined);
          const settings = settingsOf(options);
          // `onModuleInit()` would be too late (decision 14).
          if (modules) addMount(modules, { ...mount, settings });
          return settings;
        },
        inject: [MODULE_OPTIONS_TOKEN, { token: ModulesContainer, optional: true }],
      },
      { provide: MethodSettings, useExisting: ShippingSettings },
      { provide: EventSettings, useExisting: ShippingSettings },
      {
        provide: MountCheck,
        useFactory: (...nest: [ModulesContainer?, ApplicationConfig?, HttpAdapterHost?]) =>
          new MountCheck(mount, ...nest),
        inject: [ModulesContainer, ApplicationConfig, HttpAdapterHost].map((token) => ({
          token,
          optional: true,
        })),
      },
      {
        provide: Database,
        useFactory: ({ entityManager }: ShippingSettings, source?: DataSource) => {
          if (!source) throw otherNestTypeOrmError() ?? noDataSourceError(dataSource);
          return new Database(source, entityManager);
        },
        // The DataSource is optional, because our error names the remedy, and Nest's does not.
        inject: [ShippingSettings, { token: getDataSourceToken(dataSource), optional: true }],
      },
      SchemaCheck,
      MethodStore,
      ListQueryCache,
      ShippingMethodsService,
      OrderEventsService,
    ],
    exports: [ShippingMethodsService, OrderEventsService],
  };
}

function noDataSourceError(name: string): Error {
  const option = name === 'default' ? '' : `name: '${name}', `;
  return new Error(
    `ShippingModule found no TypeORM DataSource named "${name}". Import TypeOrmModule.forRoot({ ${option}type: ` +
      `'postgres', … }) in the application, or name the DataSource that is there: ShippingModule.forRoot({ dataSource: ` +
      `'name' }).`,
  );
}

/** Nest's class without the types of its two calls, which would hide the names of our options in the editor. */
const OptionsModule: Type<object> = ConfigurableModuleClass;

/**
 * Mounts the six routes and provides `ShippingMethodsService` and `OrderEventsService`. Import it with {@link forRoot}
 * or {@link forRootAsync}, beside `TypeOrmModule`. The DataSource needs `shippingEntities`, which
 * `autoLoadEntities: true` adds, and `shippingMigrations` of `nestjs-shipping/migrations`.
 */
@Module({})
export class ShippingModule extends OptionsModule {
  /** @throws Error at boot when the class was imported without forRoot(): it would have no routes and no services */
  constructor(@Optional() @Inject(ShippingSettings) settings?: ShippingSettings) {
    super();
    if (settings) return;
    throw new Error(
      'ShippingModule was imported without forRoot(). Import ShippingModule.forRoot() or forRootAsync() once. Set ' +
        'isGlobal: true, so that every module can inject its services. Or export it from one of your modules, and import ' +
        'that module.',
    );
  }

  /**
   * Mounts the module with these options. Each option has a default, so `forRoot()` is enough to begin. Without a guard,
   * everybody can use the routes.
   * @throws Error when an option is unknown, or when `isGlobal`, `dataSource`, `imports` or `http` has a wrong value. The
   *   values of the others are checked when the application starts. The message names the option and what it may be.
   * @example
   * ShippingModule.forRoot({ isGlobal: true, http: { decorators: [UseGuards(JwtGuard)] } })
   */
  static forRoot(options: ShippingModuleOptions = {}): DynamicModule {
    const known = { ...new StaticSettings(), ...new ShippingSettings() };
    refuseUnknown(objectOf(options, shippingModule), known, shippingModule);
    return ConfigurableModuleClass.forRoot.call(this, options);
  }

  /**
   * Mounts the module with options that a factory returns when the application starts, for instance from a
   * `ConfigService`. `isGlobal`, `dataSource`, `imports` and `http` stand beside the factory. `imports` has the modules
   * of what the factory injects.
   * @throws Error when an option is unknown or has a wrong value. The options that the factory returns are checked when
   *   the application starts.
   * @example
   * ShippingModule.forRootAsync({
   *   isGlobal: true,
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ maxMethods: config.get('MAX_METHODS') }),
   * })
   */
  static forRootAsync(options: ShippingModuleAsyncOptions): DynamicModule {
    checkAsyncOptions(options, shippingModule);
    return ConfigurableModuleClass.forRootAsync.call(this, options);
  }
}
