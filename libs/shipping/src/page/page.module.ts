import { type DynamicModule, Inject, Module, type OnModuleInit, Optional } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { refuseOtherNest } from '../boot/copies.js';
import { refuseSharedPrefix } from '../boot/mounts.js';
import { mountController } from '../http/mount-controller.js';
import { ShippingPageController } from './page.controller.js';
import { PageSettings, pageSettingsOf, type ShippingPageOptions } from './page.options.js';
import { pageRoutesOf } from './page-routes.js';

/** A page for the staff, over the six routes. Import it with `forRoot()`, beside `ShippingModule`. */
@Module({})
export class ShippingPageModule implements OnModuleInit {
  /** @throws Error at boot when the class was imported without forRoot() */
  constructor(
    @Optional() @Inject(ModulesContainer) private readonly modules?: ModulesContainer,
    @Optional() @Inject(PageSettings) private readonly settings?: PageSettings,
  ) {
    refuseOtherNest(modules !== undefined);
    if (!settings)
      throw new Error(
        'ShippingPageModule was imported without forRoot(). Import ShippingPageModule.forRoot({ … }) with your guard.',
      );
  }

  /** @throws Error that names the option and what it may be */
  static forRoot(options: ShippingPageOptions = {}): DynamicModule {
    const settings = pageSettingsOf(options);
    return {
      module: ShippingPageModule,
      imports: settings.imports,
      controllers: [
        mountController(
          ShippingPageController,
          settings,
          () => settings.decorators,
          'ShippingPageModule option "decorators"',
        ),
      ],
      providers: [{ provide: PageSettings, useValue: settings }],
    };
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
