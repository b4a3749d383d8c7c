import { type DynamicModule, Module } from '@nestjs/common';
import { pageControllerFor } from './page.controller.js';
import { PageSettings, pageSettingsOf, type ShippingPageOptions } from './page.options.js';

/** A page for the staff, over the six routes. Import it with `forRoot()`, beside `ShippingModule`. */
@Module({})
export class ShippingPageModule {
  /** @throws Error that names the option and what it may be */
  static forRoot(options: ShippingPageOptions = {}): DynamicModule {
    const settings = pageSettingsOf(options);
    return {
      module: ShippingPageModule,
      imports: settings.imports,
      controllers: [pageControllerFor(settings)],
      // Nest 10 identifies a dynamic module by its serialised metadata, so two pages must differ in it.
      providers: [{ provide: PageSettings, useValue: settings }],
    };
  }
}
