import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { mountController } from '../http/mount-controller.js';
import { ShippingPageController } from './page.controller.js';
import { PageSettings, pageSettingsOf, type ShippingPageOptions } from './page.options.js';
import { pageRoutesOf } from './page-routes.js';

/** A page for the staff, over the six routes. Import it with `forRoot()`, beside `ShippingModule`. */
@Module({})
export class ShippingPageModule implements OnModuleInit {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(PageSettings) private readonly settings: PageSettings,
  ) {}

  /** @throws Error that names the option and what it may be */
  static forRoot(options: ShippingPageOptions = {}): DynamicModule {
    const settings = pageSettingsOf(options);
    return {
      module: ShippingPageModule,
      imports: settings.imports,
      controllers: [mountController(ShippingPageController, settings, () => settings.decorators)],
      providers: [{ provide: PageSettings, useValue: settings }],
    };
  }

  /** The mounts are known after all modules have their providers. @throws Error when the page finds no routes */
  onModuleInit(): void {
    pageRoutesOf(this.modules, this.settings);
  }
}
