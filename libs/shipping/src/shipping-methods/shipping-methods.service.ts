import { Inject, Injectable } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';
import { type ShippingCallOptions, type OptionRule } from '../database/call-options.js';
import { CommittedValues } from '../database/committed-values.js';
import { Database, type ShippingDatabaseStats } from '../database/database.js';
import { type AfterStatements } from '../database/run-call.js';
import { isInTransaction } from '../database/runner-state.js';
import { onePerDataSource } from '../database/one-per-data-source.js';
import { type Rendering } from '../http/response.js';
import { type ChangeResult } from './change-result.js';
import { MethodSettings } from './method-settings.js';
import { checkIds, checkString, checkInput } from '../validation/check-input.js';
import { type ShippingMethodQuery } from './list/list-query.dto.js';
import {
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingMethodTree,
} from './dto/shipping-method.dto.js';
import { checkPatch, checkUpsert, checkUpserts } from './dto/upsert-shipping-method.check.js';
import {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from './dto/upsert-shipping-method.dto.js';
import { checkListQuery } from './list/list-query.check.js';
import { named, type NamedQuery } from './list/list-query-cache.js';
import {
  type Decide,
  decideAdopt,
  decideCreate,
  decideRemove,
  decideRemoveAll,
  decideUpdate,
  decideUpsert,
} from './method-changes.js';
import { type ShippingMethodCodes, codesKey } from './method-codes.js';
import { lazyPage, lazyTree, renderPage, renderTree } from './rendering.js';
import {
  type ChangeMethodOptions,
  changeOptions,
  checkEtag,
  type DryRunOptions,
  dryRunOptions,
  type FindMethodOptions,
  findOptions,
  type UpsertManyOptions,
  upsertManyOptions,
} from './method-options.js';
import { type ShippingCacheStats } from './store/view-cache.js';
import { MethodStore } from './store/method-store.js';
import { type EffectiveMethod } from './effective-method.js';
import { type MethodView } from './method-view.js';
import { MethodNotFoundError } from './shipping-methods.errors.js';

const changesOf = onePerDataSource(() => new Subject<ShippingMethodChange>());

/** The result of `upsertMany` and `adoptDefaults`. With `dryRun`, it is what the call would do. */
export interface BulkChangeResult {
  /** The methods of the requests, in their order. `adoptDefaults` returns the methods that were created. */
  readonly methods: readonly ShippingMethodDto[];
  /** Each method that was created, updated or removed, with the values that it showed before and after. */
  readonly changes: readonly ShippingMethodChange[];
}

/**
 * The shipping methods of each project. Every call checks its own input and throws the errors that the routes send.
 * Any call may throw a `DatabaseUnavailableError`. A change may also throw an `OutcomeUnknownError`, and what
 * `beforeCommit.change` throws. With `{ manager }` as its last argument, a call becomes part of your transaction.
 *
 * The fields of methods, requests and queries have the names of the routes, such as `method_code`. Arguments and
 * options are in camelCase, such as `removeOthers`.
 * @example
 * class Checkout {
 *   constructor(private readonly methods: ShippingMethodsService) {}
 * }
 */
@Injectable()
export class ShippingMethodsService {
  /**
   * Emits each change that the services and routes of this process made on this DataSource, after the outermost COMMIT.
   * Subscribe before the call. It emits no change that was rolled back, and no change of another process. A subscriber
   * runs in the async context in which it subscribed. If it throws or rejects, the error is logged. An error inside of
   * a `pipe()` is not caught: RxJS ends the process, unless you handle it.
   * @example
   * methods.changes.subscribe(({ type, before, after }) => console.log(type, (after ?? before)?.method_label));
   */
  readonly changes: Observable<ShippingMethodChange>;

  /** @internal */
  private readonly afterStatements: AfterStatements<ChangeResult>;
  /** @internal */
  constructor(
    /** @internal */
    @Inject(Database) private readonly database: Database,
    /** @internal */
    @Inject(MethodStore) private readonly store: MethodStore,
    /** @internal */
    @Inject(MethodSettings) private readonly settings: MethodSettings,
  ) {
    const committedChanges = changesOf(database.dataSource);
    this.changes = new CommittedValues(committedChanges);
    const { change: changeHook } = settings.beforeCommit;
    // The caller may modify the result, so the subscribers share a copy, and the hook gets another one.
    this.afterStatements = {
      actionAfterCommit: ({ changes }) => {
        const announcedChanges = committedChanges.observed ? structuredClone(changes) : [];
        return () => announcedChanges.forEach((change) => committedChanges.next(change));
      },
      hook:
        changeHook &&
        (async ({ changes }, manager) => {
          for (const change of structuredClone(changes)) await changeHook(change, manager);
        }),
    };
  }

  /**
   * Creates a method.
   * @throws ValidationFailedError when the request is invalid
   * @throws InvalidParameterError when the project id is invalid
   * @throws DuplicateMethodError with `existingId` and `identical` when the pair of codes is taken
   * @throws TooManyMethodsError when the project holds `maxMethods`
   * @example
   * const meta = { max_weight_kg: 68 };
   * const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground', meta };
   * const { id } = await methods.create('acme', ground);
   */
  async create<Meta extends object>(
    projectId: string,
    request: UpsertShippingMethodRequest<Meta>,
    options: ShippingCallOptions = {},
  ): Promise<ShippingMethodDto> {
    const checked = checkInput({ projectId }, (violations) => checkUpsert(violations, request));
    const { changes } = await this.change(
      projectId,
      options,
      decideCreate(checked, this.settings.maxMethods),
    );
    return foundAfterWrite(changes[0]?.after);
  }

  /**
   * Returns one page, in the order `sort_order`, `carrier_code`, `method_code`. Its rows and its total come from the
   * same moment.
   * @throws InvalidParameterError when the project id or the query is invalid
   * @example
   * const { data, meta } = await methods.list('acme', { q: 'ground', filter: { is_active: true }, per_page: 50 });
   */
  async list(
    projectId: string,
    query: ShippingMethodQuery = {},
    options: ShippingCallOptions = {},
  ): Promise<ShippingMethodPage> {
    const checked = checkInput({ projectId }, (violations) =>
      named(checkListQuery(violations, query, this.settings.maxPageSize)),
    );
    return this.listChecked(projectId, checked, options);
  }

  /**
   * Like `list`, for our controller, which has checked its request by the rules of the route. A host has only `list`.
   * @internal
   */
  async listChecked(
    projectId: string,
    { query, name }: NamedQuery,
    options: ShippingCallOptions = {},
  ): Promise<ShippingMethodPage> {
    const render = (view: MethodView): Rendering => renderPage(view, query);
    return lazyPage(await this.store.rendering(projectId, this.database.callerRunner(options), name, render));
  }

  /**
   * Returns all methods by carrier, inactive ones too.
   * @throws InvalidParameterError when the project id is invalid
   * @example
   * const { data: carriers } = await methods.tree('acme');
   * const lines = carriers.map((carrier) => `${carrier.carrier_label}: ${carrier.methods.length} methods`);
   */
  async tree(projectId: string, options: ShippingCallOptions = {}): Promise<ShippingMethodTree> {
    checkIds({ projectId });
    return lazyTree(
      await this.store.rendering(projectId, this.database.callerRunner(options), 'tree', renderTree),
    );
  }

  /**
   * Returns all methods in list order, inactive ones too. {@link list} returns one page of them.
   * @throws InvalidParameterError when the project id is invalid
   * @example
   * const all = await methods.findAll('acme');
   */
  async findAll(projectId: string, options: ShippingCallOptions = {}): Promise<readonly ShippingMethodDto[]> {
    checkIds({ projectId });
    const { methods } = await this.store.view(projectId, this.database.callerRunner(options));
    return methods.map((method) => method.toDto());
  }

  /**
   * Returns the active methods, which a checkout offers, in list order.
   * @throws InvalidParameterError when the project id is invalid
   * @example
   * const offered = await methods.findActive('acme');
   */
  async findActive(
    projectId: string,
    options: ShippingCallOptions = {},
  ): Promise<readonly ShippingMethodDto[]> {
    checkIds({ projectId });
    const { methods } = await this.store.view(projectId, this.database.callerRunner(options));
    return methods.filter((method) => method.value('is_active')).map((method) => method.toDto());
  }

  /**
   * Returns the method with this id, or null. The method of another project is not found either.
   * @param options `lock`: the method stays as it is until your transaction ends
   * @throws InvalidParameterError when the project id is invalid
   * @example
   * const method = await methods.find('acme', order.methodId);
   */
  async find(
    projectId: string,
    id: string,
    options: FindMethodOptions = {},
  ): Promise<ShippingMethodDto | null> {
    checkIds({ projectId });
    const method = await this.findIn(projectId, options, (view) => view.byId(id));
    return method?.toDto() ?? null;
  }

  /**
   * Returns the method with this id, as {@link find} does.
   * @throws MethodNotFoundError when the project has no method with this id
   * @throws InvalidParameterError when the project id is invalid
   * @example
   * const { method_label } = await methods.findOrFail('acme', order.methodId);
   */
  async findOrFail(
    projectId: string,
    id: string,
    options: FindMethodOptions = {},
  ): Promise<ShippingMethodDto> {
    const method = await this.find(projectId, id, options);
    if (!method) throw new MethodNotFoundError();
    return method;
  }

  /**
   * Returns the method with these two codes, or null.
   * @param codes the two codes, or an object that has them, such as a row of an order
   * @param options `lock`: the method stays as it is until your transaction ends
   * @throws InvalidParameterError when the project id is invalid, or a code is not a string
   * @example
   * const codes = { carrier_code: 'ups', method_code: '03' };
   * const method = await methods.findByCodes('acme', codes, { manager, lock: true });
   * if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
   */
  async findByCodes(
    projectId: string,
    codes: ShippingMethodCodes,
    options: FindMethodOptions = {},
  ): Promise<ShippingMethodDto | null> {
    const { carrier_code, method_code } = Object(codes) as ShippingMethodCodes;
    checkInput({ projectId }, (violations) => {
      checkString(violations, 'carrier_code', carrier_code);
      checkString(violations, 'method_code', method_code);
    });
    const method = await this.findIn(projectId, options, (view) => view.byCodes(carrier_code, method_code));
    return method?.toDto() ?? null;
  }

  /**
   * Returns the method with these two codes, as {@link findByCodes} does.
   * @throws MethodNotFoundError when the project has no method with these codes
   * @throws InvalidParameterError when the project id is invalid, or a code is not a string
   * @example
   * const { meta } = await methods.findByCodesOrFail('acme', { carrier_code: 'ups', method_code: '03' });
   */
  async findByCodesOrFail(
    projectId: string,
    codes: ShippingMethodCodes,
    options: FindMethodOptions = {},
  ): Promise<ShippingMethodDto> {
    const method = await this.findByCodes(projectId, codes, options);
    if (!method) throw new MethodNotFoundError();
    return method;
  }

  /**
   * Changes any of the fields. Fields that are left out or undefined keep their value. If no value changes, `version` and
   * `updated_at` stay as they are. If the changes have no `use_default`, the method shows each value that was sent. A
   * field stops inheriting if it could not show this value.
   * @throws ValidationFailedError when the patch is invalid
   * @throws InvalidParameterError when the project id or the option `etag` is invalid
   * @throws MethodNotFoundError when the project has no method with this id
   * @throws VersionMismatchError when the method has none of the etags in `etag`
   * @throws MethodInUseError when your foreign key refers to the old codes
   * @throws DuplicateMethodError with `existingId` when the new codes are taken
   * @example
   * await methods.update('acme', method.id, { is_active: false }, { etag: method.etag });
   */
  async update<Meta extends object>(
    projectId: string,
    id: string,
    patch: ShippingMethodPatch<Meta>,
    options: ChangeMethodOptions = {},
  ): Promise<ShippingMethodDto> {
    const checked = checkInput({ projectId }, (violations) => {
      checkEtag(violations, options);
      return checkPatch(violations, patch);
    });
    return this.updateChecked(projectId, id, checked, options);
  }

  /**
   * Like `update`, for our controller, which has checked its request by the rules of the route. A host has only `update`.
   * @internal
   */
  async updateChecked(
    projectId: string,
    id: string,
    patch: ShippingMethodPatch,
    options: ChangeMethodOptions,
  ): Promise<ShippingMethodDto> {
    const { view } = await this.change(projectId, options, decideUpdate(id, patch, options), changeOptions);
    return foundAfterWrite(view.byId(id)?.toDto());
  }

  /**
   * Creates the method, or updates the one that has its codes. An update works as in {@link update}.
   * @throws ValidationFailedError when the request is invalid
   * @throws InvalidParameterError when the project id is invalid
   * @throws TooManyMethodsError when the project holds `maxMethods`
   * @example
   * await methods.upsert('acme', { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });
   */
  async upsert<Meta extends object>(
    projectId: string,
    request: UpsertShippingMethodRequest<Meta>,
    options: ShippingCallOptions = {},
  ): Promise<ShippingMethodDto> {
    const checked = checkInput({ projectId }, (violations) => checkUpsert(violations, request));
    const { view } = await this.change(
      projectId,
      options,
      decideUpsert([checked], { maxMethods: this.settings.maxMethods }),
    );
    return foundAfterWrite(view.byCodes(checked.carrier_code, checked.method_code)?.toDto());
  }

  /**
   * Stores all requests or none, for instance to import methods. A request updates the method that has its codes. If
   * there is no such method, the request creates it.
   * @param options `removeOthers`: removes the methods that no request names; `maxRemoved`: refuses the call if these
   *   are more than this number; `dryRun`: changes nothing
   * @throws ValidationFailedError with the violations of all requests. The `index` of a violation is the place of its
   *   request, from 0, and its pointer begins with it: `/3/method_label`.
   * @throws InvalidParameterError when the project id is invalid
   * @throws TooManyMethodsError when the project would hold more than `maxMethods`
   * @throws TooManyRemovalsError when `removeOthers` has no request, or would remove more than `maxRemoved`
   * @throws MethodInUseError when your foreign key refers to a method that is to be removed
   * @example
   * const requests = [{ carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' }];
   * const { changes } = await methods.upsertMany('acme', requests, { removeOthers: true, maxRemoved: 20 });
   */
  async upsertMany<Metas extends readonly object[]>(
    projectId: string,
    requests: { readonly [Index in keyof Metas]: UpsertShippingMethodRequest<Metas[Index]> },
    options: UpsertManyOptions = {},
  ): Promise<BulkChangeResult> {
    const checked = checkInput({ projectId }, (violations) => checkUpserts(violations, requests));
    const decide = decideUpsert(checked, { ...options, maxMethods: this.settings.maxMethods });
    const { view, changes } = await this.change(projectId, options, decide, upsertManyOptions);
    const methodsByCodes = new Map(view.methods.map((method) => [codesKey(method.stored), method]));
    const methods = checked.map((request) => foundAfterWrite(methodsByCodes.get(codesKey(request))?.toDto()));
    return { methods, changes: [...changes] };
  }

  /**
   * Creates a method with `use_default: true` for each default whose codes the project lacks. Call it for a new tenant,
   * whose list would otherwise be empty. A second call creates nothing, unless there are new defaults.
   * @param options `dryRun`: changes nothing
   * @throws InvalidParameterError when the project id is invalid
   * @throws TooManyMethodsError when the project would hold more than `maxMethods`
   * @example
   * const { methods: created } = await methods.adoptDefaults('acme');
   */
  async adoptDefaults(projectId: string, options: DryRunOptions = {}): Promise<BulkChangeResult> {
    checkIds({ projectId });
    const decide = decideAdopt(this.settings.maxMethods);
    const { changes } = await this.change(projectId, options, decide, dryRunOptions);
    return { methods: changes.flatMap(({ after }) => after ?? []), changes: [...changes] };
  }

  /**
   * Removes a method.
   * @returns the method as it was
   * @throws InvalidParameterError when the project id or the option `etag` is invalid
   * @throws MethodNotFoundError when the project has no method with this id
   * @throws VersionMismatchError when the method has none of the etags in `etag`
   * @throws MethodInUseError when your foreign key refers to the method
   * @example
   * await methods.remove('acme', method.id, { etag: method.etag });
   */
  async remove(projectId: string, id: string, options: ChangeMethodOptions = {}): Promise<ShippingMethodDto> {
    checkInput({ projectId }, (violations) => checkEtag(violations, options));
    const { changes } = await this.change(projectId, options, decideRemove(id, options), changeOptions);
    return foundAfterWrite(changes[0]?.before);
  }

  /**
   * Removes all methods of a project, for a tenant that leaves. `OrderEventsService.removeHistories` removes its
   * histories. The row of the project in `shipping_project` stays. It holds only the id of the project and a random
   * revision.
   * @returns how many methods were removed
   * @throws InvalidParameterError when the project id is invalid
   * @throws MethodInUseError when your foreign key refers to one of the methods. Then none is removed.
   * @example
   * const removed = await methods.removeAll('acme');
   */
  async removeAll(projectId: string, options: ShippingCallOptions = {}): Promise<number> {
    checkIds({ projectId });
    return (await this.change(projectId, options, decideRemoveAll)).changes.length;
  }

  /**
   * Returns how this mount uses its memory, in this process. It is for your metrics, and sends no statement.
   * @example
   * const { hits, misses } = methods.cacheStats();
   */
  cacheStats(): ShippingCacheStats {
    return this.store.cacheStats();
  }

  /**
   * Returns how often the calls of this mount lose a race, are repeated, wait or fail, in this process. It counts the
   * calls of both services, in requests, jobs and queues. It is for your metrics, and sends no statement.
   * @example
   * const { unavailable, outcomeUnknown } = methods.databaseStats();
   */
  databaseStats(): ShippingDatabaseStats {
    return { ...this.database.counters, waitingWriters: this.store.waitingWriters };
  }

  /**
   * @param otherOptions the options that this call takes beside `manager`
   * @internal
   */
  private change(
    projectId: string,
    options: DryRunOptions,
    decide: Decide,
    otherOptions: Readonly<Record<string, OptionRule>> = {},
  ): Promise<ChangeResult> {
    const caller = this.database.callerRunner(options, otherOptions);
    if (options.dryRun) return this.store.preview(caller, projectId, decide);
    return this.store.change(caller, { projectId, decide, afterStatements: this.afterStatements });
  }

  /**
   * @throws TypeError when `lock` is set outside of a transaction
   * @internal
   */
  private async findIn(
    projectId: string,
    options: FindMethodOptions,
    select: (view: MethodView) => EffectiveMethod | undefined,
  ): Promise<EffectiveMethod | undefined> {
    const caller = this.database.callerRunner(options, findOptions);
    if (!options.lock) return select(await this.store.view(projectId, caller));
    if (!caller || !isInTransaction(caller))
      throw new TypeError(
        'The option "lock" needs a transaction: pass its manager. Outside of a transaction, a lock ends at once.',
      );
    return this.store.lock(caller, projectId, select);
  }
}

/** @throws Error when a trigger of the database has removed the method or changed its codes */
function foundAfterWrite(method: ShippingMethodDto | null | undefined): ShippingMethodDto {
  if (!method)
    throw new Error(
      'The method is missing after the write. A trigger of the database may have removed it or changed its codes.',
    );
  return method;
}
