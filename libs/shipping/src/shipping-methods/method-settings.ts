import { type EntityManager } from 'typeorm';
import { type ShippingMethodChange } from './dto/shipping-method.dto.js';

/** Code of the host that runs for each change of a method, before the COMMIT. */
export type ChangeHook = (change: ShippingMethodChange, manager: EntityManager) => unknown;

/** The options of the module that this feature needs, after the defaults are filled in. */
export abstract class MethodSettings {
  abstract defaultsProjectId: string;
  abstract maxPageSize: number;
  abstract maxMethods: number;
  abstract cache: false | { maxBytes: number };
  abstract beforeCommit: { change?: ChangeHook | undefined };
}
