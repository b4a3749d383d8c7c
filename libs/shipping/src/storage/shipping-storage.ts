import { type EntityTarget, type ObjectLiteral } from 'typeorm';
import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { type CheckedOrderEvent } from '../order-events/dto/record-order-event.dto.js';
import { type ShippingMethodDto } from '../shipping-methods/dto/shipping-method.dto.js';
import { type CheckedListQuery } from '../shipping-methods/list-query.check.js';
import { type OwnValues } from '../shipping-methods/own-values.js';
import { type Scope } from './transactions.js';

/** One method of a project, by its id or by its codes. */
export type MethodKey = { project_id: string } & (
  { id: string } | { carrier_code: string; method_code: string }
);

/** JSON that was read, and the revision of its project at the same moment. */
export interface Read {
  /** Another text after each change of what the project shows, the inherited values included. */
  revision: string;
  /** How many methods match, in all pages. */
  total: number;
  /** JSON of methods or carriers with commas between; empty when nothing was found. */
  text: string;
}

/** A method that is to be stored. */
export interface NewMethod extends OwnValues {
  id: string;
  project_id: string;
  /** The searched texts, case-folded, one on each line. */
  search_text: string;
}

/** A method as it is to be stored, in place of the one that was read. */
export interface ChangedMethod extends NewMethod {
  version: number;
  etag: string;
  /** Before the change. */
  usedDefault: boolean;
  changesCodes: boolean;
}

/**
 * `taken`: another method has the codes. `full`: the project holds `maxMethods`. `lost`: another writer was faster, or,
 * in the scope `shared`, holds a lock.
 */
export type Inserted = ShippingMethodDto | 'taken' | 'full' | 'lost';
export type Replaced = ShippingMethodDto | 'taken' | 'lost';

/**
 * What an engine does for methods. Each call is one moment and runs in its scope. A write locks the row of the project
 * first and bumps its revision with the data. After `taken`, `full` and `lost` the caller's transaction is still usable.
 * @throws DatabaseUnavailableError, OutcomeUnknownError from every call
 */
export abstract class MethodStore {
  /**
   * @param keys all by id, or all by codes
   * @param isForChange what is committed is wanted, also where the snapshot of the caller's transaction is older
   * @returns the methods in the order of the keys
   */
  abstract find(
    keys: readonly MethodKey[],
    scope: Scope,
    isForChange?: boolean,
  ): Promise<(ShippingMethodDto | undefined)[]>;
  abstract page(projectId: string, query: CheckedListQuery, scope: Scope): Promise<Read>;
  abstract tree(projectId: string, scope: Scope): Promise<Read>;
  /** The revisions of projects, in their order. */
  abstract revisions(projectIds: readonly string[], scope: Scope): Promise<string[]>;
  /** @param methods one, or in the scope `shared` any number */
  abstract insert(methods: readonly NewMethod[], scope: Scope): Promise<Inserted[]>;
  /**
   * Stores each method while what it shows is what was read.
   * @param methods one, or in the scope `shared` any number, which keep their codes
   * @throws MethodInUseError
   */
  abstract replace(methods: readonly ChangedMethod[], scope: Scope): Promise<Replaced[]>;
  /**
   * @param etags the delete happens only while the method has one of these; undefined: in any case
   * @throws MethodInUseError
   */
  abstract delete(
    current: ShippingMethodDto,
    etags: readonly string[] | undefined,
    scope: Exclude<Scope, 'shared'>,
  ): Promise<ShippingMethodDto | 'lost'>;
}

/** What an engine does for events. */
export abstract class EventStore {
  /**
   * @returns the event, or the one that was recorded first under its dedupe key
   * @throws DatabaseUnavailableError with `contention`, in the scope `shared`: it might wait for an open transaction
   */
  abstract append(event: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto>;
  /**
   * @param after the `next` of the batch before; undefined: from the beginning
   * @returns JSON of events with commas between, and where the next batch begins, if there is one
   */
  abstract batch(
    projectId: string,
    orderId: string,
    after: string[] | undefined,
    scope: Scope,
  ): Promise<{ text: string; next?: string[] }>;
}

export interface StorageSettings {
  defaultsProjectId: string;
  maxMethods: number;
}

/** A database engine. */
export abstract class ShippingStorage {
  abstract readonly methods: MethodStore;
  abstract readonly events: EventStore;
  /**
   * @returns the columns that each table has; none for a table that is missing
   * @throws Error that names the remedy, for a database that cannot hold our data
   */
  abstract columnsOf(entities: readonly EntityTarget<ObjectLiteral>[]): Promise<string[][]>;
}
