import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  Optional,
  type Provider,
} from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource } from 'typeorm';
import { Database } from './database/database.js';
import { mountOneFormat } from './one-format.js';
import { OrderEvents } from './order-events/order-events.service.js';
import { MethodAnswers } from './shipping-methods/method-answers.js';
import { MethodReads } from './shipping-methods/method-reads.js';
import { MethodWrites } from './shipping-methods/method-writes.js';
import { ShippingMethods } from './shipping-methods/shipping-methods.service.js';
import { controllersFor } from './shipping.controllers.js';
import { shippingEntities } from './shipping.entities.js';
import {
  checkHttpOptions,
  settingsOf,
  type ShippingModuleExtras,
  type ShippingModuleOptions,
  ShippingSettings,
} from './shipping.options.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<ShippingModuleOptions>({ moduleName: 'Shipping' })
    .setClassMethodName('forRoot')
    .setExtras<ShippingModuleExtras>(
      { isGlobal: false, dataSource: undefined, imports: [], http: undefined },
      shippingDefinition,
    )
    .build();

function shippingDefinition(definition: DynamicModule, extras: ShippingModuleExtras): DynamicModule {
  mountOneFormat();
  const { isGlobal = false, dataSource, imports = [], http = {} } = extras;
  if (http !== false) checkHttpOptions(http);
  const settings: Provider = {
    provide: ShippingSettings,
    useFactory: settingsOf,
    inject: [MODULE_OPTIONS_TOKEN],
  };
  const database: Provider = {
    provide: Database,
    useFactory: (source: DataSource, { entityManager }: ShippingSettings) =>
      new Database(source, shippingEntities, entityManager),
    inject: [getDataSourceToken(dataSource), ShippingSettings],
  };
  const services = [MethodReads, MethodWrites, MethodAnswers, ShippingMethods, OrderEvents];
  return {
    ...definition,
    global: isGlobal,
    imports: [
      ...(definition.imports ?? []),
      ...imports,
      TypeOrmModule.forFeature(shippingEntities, dataSource),
    ],
    controllers: http === false ? [] : controllersFor(http),
    providers: [...(definition.providers ?? []), settings, database, ...services],
    exports: [ShippingMethods, OrderEvents],
  };
}

/**
 * Mounts the six routes and provides `ShippingMethods` and `OrderEvents`. Import it with `forRoot()` or
 * `forRootAsync()`, beside `TypeOrmModule` with a PostgreSQL DataSource.
 */
@Module({})
export class ShippingModule extends ConfigurableModuleClass {
  /** @throws Error at boot for the bare class, which would mount nothing and provide nothing */
  constructor(@Optional() @Inject(MODULE_OPTIONS_TOKEN) options?: ShippingModuleOptions) {
    super();
    if (options) return;
    throw new Error(
      'ShippingModule was imported bare. Import ShippingModule.forRoot() or forRootAsync() once; with isGlobal: true ' +
        'every module can inject its services, else export it from a module of yours and import that one.',
    );
  }

  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
