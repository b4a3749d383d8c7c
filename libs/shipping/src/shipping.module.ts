import { ConfigurableModuleBuilder, type DynamicModule, Inject, Module, Optional } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource } from 'typeorm';
import { mountOneFormat } from './one-format.js';
import { otherNestTypeOrm } from './one-typeorm.js';
import { EventSettings } from './order-events/event-settings.js';
import { OrderEvents } from './order-events/order-events.service.js';
import { MethodStore } from './shipping-methods/store/method-store.js';
import { MethodSettings } from './shipping-methods/method-settings.js';
import { ShippingMethods } from './shipping-methods/shipping-methods.service.js';
import { shippingEntities } from './shipping-entities.js';
import { controllersFor, ShippingMount } from './shipping.mount.js';
import {
  checkAsyncOptions,
  checkStaticOptions,
  settingsOf,
  type ShippingModuleExtras,
  type ShippingModuleOptions,
  staticDefaults,
} from './shipping.options.js';
import { ShippingTables } from './shipping.tables.js';
import { Database } from './database/database.js';
import { dialectOf } from './database/dialects/dialects.js';

const { ASYNC_OPTIONS_TYPE, ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE } =
  // Nest 10 identifies a dynamic module by its serialised metadata, so two equal mounts would become one.
  new ConfigurableModuleBuilder<ShippingModuleOptions>({ moduleName: 'Shipping', alwaysTransient: true })
    .setClassMethodName('forRoot')
    .setExtras<ShippingModuleExtras>(staticDefaults, shippingDefinition)
    .build();

function shippingDefinition(definition: DynamicModule, extras: ShippingModuleExtras): DynamicModule {
  mountOneFormat();
  const { isGlobal, dataSource, imports, http } = checkStaticOptions(extras);
  // `forFeature()` also registers our entities for `autoLoadEntities`. We need only that.
  TypeOrmModule.forFeature(shippingEntities, dataSource);
  return {
    ...definition,
    global: isGlobal,
    imports: [...(definition.imports ?? []), ...imports],
    controllers: http === false ? [] : controllersFor(http),
    providers: [
      ...(definition.providers ?? []),
      {
        provide: ShippingMount,
        useFactory: (modules: ModulesContainer | undefined) =>
          new ShippingMount(modules, dataSource ?? 'default', http),
        inject: [{ token: ModulesContainer, optional: true }],
      },
      { provide: MethodSettings, useFactory: settingsOf, inject: [MODULE_OPTIONS_TOKEN] },
      { provide: EventSettings, useExisting: MethodSettings },
      {
        provide: Database,
        useFactory: (source: DataSource | undefined, { entityManager }: ShippingModuleOptions) => {
          if (!source) throw otherNestTypeOrm() ?? noDataSource(dataSource);
          // This throws for an engine that we do not support.
          dialectOf(source);
          return new Database(source, entityManager);
        },
        // The DataSource is optional, because our error names the remedy, and Nest's does not. MethodSettings must exist
        // first, because it checks the options.
        inject: [
          { token: getDataSourceToken(dataSource), optional: true },
          MODULE_OPTIONS_TOKEN,
          MethodSettings,
        ],
      },
      ShippingTables,
      MethodStore,
      ShippingMethods,
      OrderEvents,
    ],
    exports: [ShippingMethods, OrderEvents],
  };
}

function noDataSource(name: string | undefined): Error {
  const missing = name === undefined ? 'default TypeORM DataSource' : `TypeORM DataSource named "${name}"`;
  const option = name === undefined ? '' : `name: '${name}', `;
  return new Error(
    `ShippingModule found no ${missing}. Import TypeOrmModule.forRoot({ ${option}type: 'postgres', … }) in the ` +
      `application, or name the DataSource that is there: ShippingModule.forRoot({ dataSource: 'name' }).`,
  );
}

/**
 * Mounts the six routes and provides `ShippingMethods` and `OrderEvents`. Import it with `forRoot()` or
 * `forRootAsync()`, beside `TypeOrmModule`.
 */
@Module({})
export class ShippingModule extends ConfigurableModuleClass {
  /** @throws Error at boot when the class was imported without forRoot(): it would have no routes and no services */
  constructor(@Optional() @Inject(ShippingMount) mount?: ShippingMount) {
    super();
    if (mount) return;
    throw new Error(
      'ShippingModule was imported without forRoot(). Import ShippingModule.forRoot() or forRootAsync() once. Set ' +
        'isGlobal: true, so that every module can inject its services. Or export it from one of your modules, and import ' +
        'that module.',
    );
  }

  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    if (typeof options !== 'object' || options === null)
      throw new Error('The options of ShippingModule.forRoot() must be an object. {} means all defaults.');
    return super.forRoot(options);
  }

  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    if (!options?.useFactory && !options?.useClass && !options?.useExisting)
      throw new Error('ShippingModule.forRootAsync() needs useFactory, useClass or useExisting.');
    checkAsyncOptions(options);
    return super.forRootAsync(options);
  }
}
