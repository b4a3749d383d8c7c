import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { Observable, Subject } from 'rxjs';
import { type CallOptions, Database } from '../database/database.js';
import { onePerDataSource } from '../database/one-per-data-source.js';
import { ShippingSettings } from '../options/shipping.options.js';
import { checkedFor } from '../validation/identifiers.js';
import { type ListShippingMethods } from './dto/list-shipping-methods.dto.js';
import {
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingTree,
} from './dto/shipping-method.dto.js';
import { checkUpsert, type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { checkListQuery } from './list-query.check.js';
import { creation, type Decide, removal, update, upsert } from './method-changes.js';
import { pageJson, treeJson } from './method-json.js';
import { type Done, MethodStore } from './method-store.js';
import { type MethodView } from './method-view.js';
import { MethodNotFoundError } from './shipping-methods.errors.js';

const changesOn = onePerDataSource(() => new Subject<ShippingMethodChange>());

/** Options of a call that changes one method. */
export interface ChangeOptions extends CallOptions {
  /** As `If-Match`: the change happens only while the method's `etag`, or its version as `"3"`, is one of these. */
  etags?: readonly string[];
}

/**
 * The shipping methods of each project. Every call checks its own input and throws the errors that the routes answer
 * with. Every call takes a trailing `{ manager }` to join the caller's transaction.
 */
@Injectable()
export class ShippingMethods {
  /**
   * Tells of each committed change that the services and routes of this process made on this DataSource, after the
   * outermost COMMIT. It does not tell of changes that were rolled back, nor of those of other processes. A subscriber
   * runs in the async context in which it subscribed.
   */
  readonly changes = new Observable<ShippingMethodChange>((subscriber) => {
    // The async context of the COMMIT still holds the transaction, which is over. A subscriber must not join it.
    const next = AsyncLocalStorage.bind((change: ShippingMethodChange) => subscriber.next(change));
    return changesOn(this.database.dataSource).subscribe({ next });
  });

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(MethodStore) private readonly store: MethodStore,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {}

  /**
   * @throws ValidationFailedError, InvalidParameterError; DuplicateMethodError with `existingId` and `identical` when the
   *   pair of codes is taken; TooManyMethodsError when the project holds `maxMethods`
   */
  async create(
    projectId: string,
    input: UpsertShippingMethodRequest,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedFor(projectId, (violations) => checkUpsert(violations, input));
    const { changes } = await this.change(projectId, options, creation(request, this.settings.maxMethods));
    return written(changes[0]?.after);
  }

  /**
   * One page, in the order `sort_order`, `carrier_code`, `method_code`; its rows and total are of one moment.
   * @throws InvalidParameterError
   */
  async list(
    projectId: string,
    query: ListShippingMethods = {},
    options: CallOptions = {},
  ): Promise<ShippingMethodPage> {
    const checked = checkedFor(projectId, (violations) =>
      checkListQuery(violations, query, this.settings.maxPageSize),
    );
    return JSON.parse(pageJson(await this.view(projectId, options), checked)) as ShippingMethodPage;
  }

  /** All methods, inactive ones too, by carrier. */
  async tree(projectId: string, options: CallOptions = {}): Promise<ShippingTree> {
    checkedFor(projectId, () => undefined);
    return JSON.parse(treeJson(await this.view(projectId, options))) as ShippingTree;
  }

  /** What a checkout offers: the active methods, in list order. */
  async findActive(projectId: string, options: CallOptions = {}): Promise<ShippingMethodDto[]> {
    checkedFor(projectId, () => undefined);
    const { methods } = await this.view(projectId, options);
    return methods.filter(({ stored }) => stored.is_active).map(({ dto }) => dto);
  }

  /** @throws MethodNotFoundError */
  async find(projectId: string, id: string, options: CallOptions = {}): Promise<ShippingMethodDto> {
    checkedFor(projectId, () => undefined);
    const method = (await this.view(projectId, options)).byId(id);
    if (!method) throw new MethodNotFoundError();
    return method.dto;
  }

  /** @returns null when the project has no method with these codes */
  async findByCodes(
    projectId: string,
    carrierCode: string,
    methodCode: string,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto | null> {
    checkedFor(projectId, () => undefined);
    return (await this.view(projectId, options)).byCodes(carrierCode, methodCode)?.dto ?? null;
  }

  /**
   * Fields that are left out keep their value. A change of nothing keeps `version` and `updated_at`.
   * @throws ValidationFailedError, InvalidParameterError, MethodNotFoundError, VersionMismatchError; MethodInUseError
   *   when a foreign key of the host's names the codes; DuplicateMethodError with `existingId` when the new codes are taken
   */
  async update(
    projectId: string,
    id: string,
    input: UpsertShippingMethodRequest,
    options: ChangeOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedFor(projectId, (violations) => checkUpsert(violations, input));
    const { view } = await this.change(projectId, options, update(id, request, options.etags), ['etags']);
    return written(view.byId(id)?.dto);
  }

  /** Creates the method, or updates the one that has its codes. */
  async upsert(
    projectId: string,
    input: UpsertShippingMethodRequest,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedFor(projectId, (violations) => checkUpsert(violations, input));
    const { view } = await this.change(projectId, options, upsert(request, this.settings.maxMethods));
    return written(view.byCodes(request.carrier_code, request.method_code)?.dto);
  }

  /**
   * @returns the method as it was
   * @throws MethodNotFoundError, VersionMismatchError, MethodInUseError
   */
  async remove(projectId: string, id: string, options: ChangeOptions = {}): Promise<ShippingMethodDto> {
    checkedFor(projectId, () => undefined);
    const { changes } = await this.change(projectId, options, removal(id, options.etags), ['etags']);
    return written(changes[0]?.before);
  }

  private change(
    projectId: string,
    options: CallOptions,
    decide: Decide,
    more: readonly string[] = [],
  ): Promise<Done> {
    const subject = changesOn(this.database.dataSource);
    return this.store.change(projectId, this.database.joined(options, more), decide, (changes, manager) => {
      // Subscribers get a copy, made now: the caller may change what it gets.
      const told = structuredClone(changes);
      this.database.afterCommit(manager, () => {
        for (const change of told) subject.next(change);
      });
      return Promise.resolve();
    });
  }

  private view(projectId: string, options: CallOptions): Promise<MethodView> {
    return this.store.view(projectId, this.database.joined(options));
  }
}

/** A trigger of the database may have given the row other codes. */
function written(method: ShippingMethodDto | null | undefined): ShippingMethodDto {
  if (!method) throw new Error('A method that was written is not found: a trigger may have changed it.');
  return method;
}
