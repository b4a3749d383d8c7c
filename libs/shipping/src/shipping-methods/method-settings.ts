import { type EntityManager } from 'typeorm';
import { type ShippingMethodChange } from './dto/shipping-method.dto.js';

/** The module's options about methods, after the defaults are filled in. `ShippingModuleOptions` explains them. */
export abstract class MethodSettings {
  abstract readonly defaultsProjectId: string;
  abstract readonly maxPageSize: number;
  abstract readonly maxMethods: number;
  /** 0 turns the cache off. */
  abstract readonly cacheBytes: number;
  abstract readonly onChange:
    ((change: ShippingMethodChange, manager: EntityManager) => Promise<void>) | undefined;
}
