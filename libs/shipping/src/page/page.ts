import { english, german, type PageTexts } from './browser/texts.js';

export { ShippingPageModule } from './page.module.js';
export {
  type PageProject,
  type PageRequest,
  type ShippingPageAsyncOptions,
  type ShippingPageFactoryOptions,
  type ShippingPageOptions,
} from './page.options.js';
export { type PageTexts };

/** The texts of the page, by language. */
export const pageTexts: Record<'en' | 'de', PageTexts> = { en: english, de: german };
