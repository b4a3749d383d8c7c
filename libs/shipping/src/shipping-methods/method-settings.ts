import { IsInt, Max, Min } from 'class-validator';
import { type EntityManager } from 'typeorm';
import { Must } from '../validation/check-options.js';
import { identifierPattern } from '../validation/text.js';
import { type ShippingMethodChange } from './dto/shipping-method.dto.js';

/** Code of the host that runs for each change of a method, before the COMMIT. */
export type ChangeHook = (change: ShippingMethodChange, manager: EntityManager) => unknown;

/** The options of the module that this feature needs, after the defaults are filled in. */
export class MethodSettings {
  /**
   * The id of the project whose methods are the defaults of `use_default`.
   * @default 'default'
   */
  @Must('be an id: a letter, a digit or _, and then at most 63 letters, digits and _ . : -', isIdentifier)
  defaultsProjectId = 'default';

  /**
   * The largest `per_page` of a list, 1 to 100.
   * @default 100
   */
  @IsInt() @Min(1) @Max(100) maxPageSize = 100;

  /**
   * How many methods a project may hold, 1 to 10,000.
   * @default 1000
   */
  @IsInt() @Min(1) @Max(10_000) maxMethods = 1000;

  /**
   * The size of the cache of this mount, in each process, in bytes. `false`: no cache. The cache has the methods of
   * projects, and the JSON of lists and trees. Before each response, the database is asked whether the cached value is
   * current. Checked queries of URLs, some 250 kB, are kept beside this cache, also with `false`.
   * @default { maxBytes: 33_554_432 }
   */
  @Must('be false or { maxBytes: a number of bytes }', isCache)
  cache: false | { maxBytes: number } = { maxBytes: 32 * 1024 * 1024 };

  beforeCommit: { change?: ChangeHook | undefined } = {};
}

function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' && identifierPattern.test(value);
}

function isCache(value: unknown): boolean {
  const { maxBytes } = Object(value) as { maxBytes?: unknown };
  return value === false || (Number.isSafeInteger(maxBytes) && Number(maxBytes) >= 0);
}
