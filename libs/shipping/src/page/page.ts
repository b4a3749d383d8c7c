export { ShippingPageModule } from './page.module.js';
export {
  type PageProject,
  type PageRequest,
  type ShippingPageAsyncOptions,
  type ShippingPageFactoryOptions,
  type ShippingPageOptions,
} from './page.options.js';
export { pageTexts, type PageTexts } from './browser/texts.js';
