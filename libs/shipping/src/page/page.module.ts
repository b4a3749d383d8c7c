import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type OnModuleInit,
  Optional,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { refuseOtherNest } from '../module/copies.js';
import { refuseSharedPrefix } from '../module/mounts.js';
import { mountController } from '../http/mount-controller.js';
import { checkAsyncOptions } from '../options/async-options.js';
import { objectOf, type OptionsOf, refuseUnknown, withDefaults } from '../options/check-options.js';
import { ShippingPageController } from './page.controller.js';
import {
  type MountedPage,
  PageSettings,
  type PageRequest,
  type ShippingPageAsyncOptions,
  type ShippingPageOptions,
  type StaticPageOptions,
  StaticPageSettings,
  pageModule,
  staticPageSettingsOf,
} from './page.options.js';
import { pageRoutesOf } from './page-routes.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  // Nest 10 identifies a dynamic module by its serialised metadata, so two equal pages would become one.
  new ConfigurableModuleBuilder<OptionsOf<PageSettings>>({
    moduleName: 'ShippingPage',
    alwaysTransient: true,
  })
    .setClassMethodName('forRoot')
    .setExtras<StaticPageOptions>(new StaticPageSettings(), pageDefinition)
    .build();

function pageDefinition(definition: DynamicModule, extras: StaticPageOptions): DynamicModule {
  const settings = staticPageSettingsOf(extras);
  const option = 'ShippingPageModule option "decorators"';
  return {
    ...definition,
    imports: [...(definition.imports ?? []), ...settings.imports],
    controllers: [mountController(ShippingPageController, settings, () => settings.decorators, option)],
    providers: [
      ...(definition.providers ?? []),
      {
        provide: PageSettings,
        useFactory: (options: OptionsOf<PageSettings>): MountedPage => ({
          ...settings,
          ...withDefaults(new PageSettings(), options, pageModule),
        }),
        inject: [MODULE_OPTIONS_TOKEN],
      },
    ],
  };
}

/** Nest's class without the types of its two calls, which would hide the names of our options in the editor. */
const OptionsModule: Type<object> = ConfigurableModuleClass;

/** A page for the staff, over the six routes. Import it with {@link forRoot}, beside `ShippingModule`. */
@Module({})
export class ShippingPageModule extends OptionsModule implements OnModuleInit {
  /** @throws Error at boot when the class was imported without forRoot() */
  constructor(
    @Optional() @Inject(ModulesContainer) private readonly modules?: ModulesContainer,
    @Optional() @Inject(PageSettings) private readonly settings?: MountedPage,
  ) {
    super();
    refuseOtherNest(modules !== undefined);
    if (!settings)
      throw new Error(
        'ShippingPageModule was imported without forRoot(). Import ShippingPageModule.forRoot({ … }) with your guard.',
      );
  }

  /**
   * Mounts the page with these options.
   * @throws Error when an option is unknown, or when `path`, `version`, `decorators` or `imports` has a wrong value. The
   *   values of the others are checked when the application starts. The message names the option and what it may be.
   * @example
   * ShippingPageModule.forRoot({
   *   decorators: [UseGuards(StaffGuard)],
   *   projects: ({ user }: StaffRequest) => user.shops.map(({ id, name }) => ({ id, label: name })),
   * })
   */
  static forRoot<Request = PageRequest>(options: ShippingPageOptions<Request> = {}): DynamicModule {
    const known = { ...new StaticPageSettings(), ...new PageSettings() };
    refuseUnknown(objectOf(options, pageModule), known, pageModule);
    return ConfigurableModuleClass.forRoot.call(this, options);
  }

  /**
   * Mounts the page with options that a factory returns when the application starts, for instance a function
   * `projects` that asks one of your services. `path`, `version`, `decorators` and `imports` stand beside the factory.
   * `imports` has the modules of what the factory and your guards inject.
   * @throws Error when an option is unknown or has a wrong value. The options that the factory returns are checked when
   *   the application starts.
   * @example
   * ShippingPageModule.forRootAsync({
   *   decorators: [UseGuards(StaffGuard)],
   *   imports: [ShopModule],
   *   inject: [ShopService],
   *   useFactory: (shops: ShopService) => ({ projects: ({ user }: StaffRequest) => shops.of(user) }),
   * })
   */
  static forRootAsync<Request = PageRequest>(options: ShippingPageAsyncOptions<Request>): DynamicModule {
    checkAsyncOptions(options, pageModule);
    return ConfigurableModuleClass.forRootAsync.call(this, options);
  }

  /**
   * The mounts are known after all modules have their providers.
   * @throws Error when the page finds no routes, or RouterModule gives two pages a prefix
   */
  onModuleInit(): void {
    if (!this.modules || !this.settings) return;
    refuseSharedPrefix(this.modules, ShippingPageModule, 'path');
    pageRoutesOf(this.modules, this.settings);
  }
}
