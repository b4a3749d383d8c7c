import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { Observable, Subject } from 'rxjs';
import { v7 as uuid } from 'uuid';
import { ShippingSettings } from '../shipping.options.js';
import { BatchedMethods } from '../storage/batched-methods.js';
import { queueOf } from '../storage/keyed-queue.js';
import { onePerDataSource } from '../storage/one-per-data-source.js';
import { MethodStore, type NewMethod } from '../storage/shipping-storage.js';
import { DatabaseUnavailableError } from '../storage/storage.errors.js';
import { type CallOptions, JoinedTransaction, type Scope, Transactions } from '../storage/transactions.js';
import { checkedFor, isUuid } from '../validation/identifiers.js';
import { int32 } from '../validation/rules.js';
import { isCode } from '../validation/text.js';
import { type ListShippingMethods } from './dto/list-shipping-methods.dto.js';
import {
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingTree,
} from './dto/shipping-method.dto.js';
import { checkUpsert, type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { type CachedJson } from './json-cache.js';
import { type CheckedListQuery, checkListQuery } from './list-query.check.js';
import { MethodReads } from './method-reads.js';
import { type OwnValues, ownValuesOf, patched, searchText, storedValuesOf } from './own-values.js';
import {
  DuplicateMethodError,
  MethodNotFoundError,
  TooManyMethodsError,
  VersionMismatchError,
} from './shipping-methods.errors.js';

const changesOn = onePerDataSource(() => new Subject<ShippingMethodChange>());

const allActive: CheckedListQuery = {
  page: 1,
  perPage: int32.max,
  words: [],
  groups: [[{ field: 'is_active', op: 'eq', values: [true] }]],
};

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
    return changesOn(this.transactions.dataSource).subscribe({ next });
  });

  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(MethodStore) private readonly store: MethodStore,
    @Inject(BatchedMethods) private readonly batched: BatchedMethods,
    @Inject(MethodReads) private readonly reads: MethodReads,
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
    const own = ownValuesOf(checkedFor(projectId, (violations) => checkUpsert(violations, input)));
    const method = toStore(uuid(), projectId, own);
    return this.untilDone(projectId, this.transactions.scopeOf(options), async (scope) => {
      const inserted = await this.batched.insert(method, scope);
      if (inserted === 'lost') return 'again';
      if (typeof inserted === 'object') {
        this.notify({ type: 'created', before: null, after: inserted }, scope);
        return inserted;
      }
      const existing = await this.batched.find(codesOf(projectId, own), scope, true);
      if (existing)
        throw new DuplicateMethodError(existing.id, isDeepStrictEqual(storedValuesOf(existing), own));
      if (inserted === 'full') throw new TooManyMethodsError(this.settings.maxMethods);
      // The other one is gone by now, or the caller's snapshot does not show it.
      return 'again';
    });
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
    const scope = this.transactions.scopeOf(options);
    return parsed(await this.reads.page(projectId, JSON.stringify(checked), () => checked, scope));
  }

  /** All methods, inactive ones too, by carrier. */
  async tree(projectId: string, options: CallOptions = {}): Promise<ShippingTree> {
    checkedFor(projectId, () => undefined);
    return parsed(await this.reads.tree(projectId, this.transactions.scopeOf(options)));
  }

  /** What a checkout offers: the active methods, in list order. */
  async findActive(projectId: string, options: CallOptions = {}): Promise<ShippingMethodDto[]> {
    checkedFor(projectId, () => undefined);
    const scope = this.transactions.scopeOf(options);
    const active = await this.reads.page(projectId, 'active', () => allActive, scope);
    return parsed<ShippingMethodPage>(active).data;
  }

  /** @throws MethodNotFoundError */
  async find(projectId: string, id: string, options: CallOptions = {}): Promise<ShippingMethodDto> {
    checkedFor(projectId, () => undefined);
    return this.findIn(this.transactions.scopeOf(options), projectId, id);
  }

  /** @returns null when the project has no method with these codes */
  async findByCodes(
    projectId: string,
    carrierCode: string,
    methodCode: string,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto | null> {
    checkedFor(projectId, () => undefined);
    // No method has what is no code, and PostgreSQL would refuse a NUL.
    if (!isCode(carrierCode) || !isCode(methodCode)) return null;
    const key = { project_id: projectId, carrier_code: carrierCode, method_code: methodCode };
    return (await this.batched.find(key, this.transactions.scopeOf(options))) ?? null;
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
    return this.untilDone(projectId, this.transactions.scopeOf(options), async (scope) =>
      this.patch(await this.findMatching(scope, projectId, id, options), request, scope),
    );
  }

  /** Creates the method, or updates the one that has its codes. */
  async upsert(
    projectId: string,
    input: UpsertShippingMethodRequest,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedFor(projectId, (violations) => checkUpsert(violations, input));
    const own = ownValuesOf(request);
    const method = toStore(uuid(), projectId, own);
    return this.untilDone(projectId, this.transactions.scopeOf(options), async (scope) => {
      const codes = codesOf(projectId, own);
      // In the caller's transaction, a look for a method that is missing may lock others' inserts until its end.
      const existing = scope instanceof JoinedTransaction ? undefined : await this.batched.find(codes, scope);
      if (existing) return this.patch(existing, request, scope);
      const inserted = await this.batched.insert(method, scope);
      if (typeof inserted === 'object') {
        this.notify({ type: 'created', before: null, after: inserted }, scope);
        return inserted;
      }
      // Another writer may have created the method meanwhile, perhaps in the last place.
      const holder = inserted === 'lost' ? undefined : await this.batched.find(codes, scope, true);
      if (holder) return this.patch(holder, request, scope);
      if (inserted === 'full') throw new TooManyMethodsError(this.settings.maxMethods);
      return 'again';
    });
  }

  /**
   * @returns the method as it was
   * @throws MethodNotFoundError, VersionMismatchError, MethodInUseError
   */
  async remove(projectId: string, id: string, options: ChangeOptions = {}): Promise<ShippingMethodDto> {
    checkedFor(projectId, () => undefined);
    return this.untilDone(projectId, this.transactions.scopeOf(options), async (scope) => {
      // It may wait for rows of the host's that refer to the method, and with it all that share its statement.
      if (scope === 'shared') return 'again';
      const current = await this.findMatching(scope, projectId, id, options);
      const removed = await this.store.delete(current, options.etags, scope);
      if (removed === 'lost') return 'again';
      this.notify({ type: 'deleted', before: removed, after: null }, scope);
      return removed;
    });
  }

  private async patch(
    current: ShippingMethodDto,
    request: UpsertShippingMethodRequest,
    scope: Scope,
  ): Promise<ShippingMethodDto | 'again'> {
    const { id, project_id, version, etag, use_default: usedDefault, carrier_code, method_code } = current;
    const own = patched(current, request);
    if (isDeepStrictEqual(own, storedValuesOf(current))) return current;
    const changesCodes = own.carrier_code !== carrier_code || own.method_code !== method_code;
    const change = { ...toStore(id, project_id, own), version, etag, usedDefault, changesCodes };
    const updated = await this.batched.replace(change, scope);
    if (typeof updated === 'object') {
      this.notify({ type: 'updated', before: current, after: updated }, scope);
      return updated;
    }
    const holder = updated === 'taken' && (await this.batched.find(codesOf(project_id, own), scope, true));
    if (holder && holder.id !== id) throw new DuplicateMethodError(holder.id);
    return 'again';
  }

  /**
   * Makes a change. In the scope `shared` it is tried with the changes of others. If it loses there, it is tried
   * alone, one change at a time in each project, so that only one connection waits for locks.
   * @param attempt gives `again` when it lost to another writer
   */
  private async untilDone<Done extends object>(
    projectId: string,
    scope: Scope,
    attempt: (scope: Scope) => Promise<Done | 'again'>,
  ): Promise<Done> {
    if (scope !== 'shared') return untilWon(() => attempt(scope));
    const done = await attempt(scope);
    if (done !== 'again') return done;
    const queue = queueOf(this.transactions.dataSource);
    return queue.take(projectId, async (hasWaited) => {
      // The calls that come meanwhile share this statement. Else each would find the project locked, and wait here too.
      const shared = hasWaited ? await attempt('shared') : 'again';
      return shared === 'again' ? untilWon(() => attempt('alone')) : shared;
    });
  }

  private notify(change: ShippingMethodChange, scope: Scope): void {
    const changes = changesOn(this.transactions.dataSource);
    // Nobody can subscribe before a change that commits by itself is told.
    if (!changes.observed && !(scope instanceof JoinedTransaction)) return;
    // Subscribers get a copy, made now: the caller may change what it gets.
    const told = JSON.stringify(change);
    this.transactions.afterCommit(scope, () => changes.next(JSON.parse(told) as ShippingMethodChange));
  }

  private async findIn(
    scope: Scope,
    projectId: string,
    id: string,
    isForChange = false,
  ): Promise<ShippingMethodDto> {
    const method = isUuid(id) && (await this.batched.find({ project_id: projectId, id }, scope, isForChange));
    if (!method) throw new MethodNotFoundError();
    return method;
  }

  private async findMatching(
    scope: Scope,
    projectId: string,
    id: string,
    { etags }: ChangeOptions,
  ): Promise<ShippingMethodDto> {
    const current = await this.findIn(scope, projectId, id, true);
    const matches = !etags || etags.includes(current.etag) || etags.includes(`"${current.version}"`);
    if (!matches) throw new VersionMismatchError(current.version);
    return current;
  }
}

async function untilWon<Won extends object>(attempt: () => Promise<Won | 'again'>): Promise<Won> {
  // For each lost race another writer has succeeded. So many losses mean that something else is wrong.
  for (let lost = 0; lost < 100; lost++) {
    const won = await attempt();
    if (won !== 'again') return won;
  }
  throw new DatabaseUnavailableError(new Error('Lost 100 races against other writers.'), 'race');
}

/** Parsed for each caller, who may change what it gets. */
function parsed<Data>({ body }: CachedJson): Data {
  return JSON.parse(String(body)) as Data;
}

function toStore(id: string, projectId: string, own: OwnValues): NewMethod {
  return { id, project_id: projectId, ...own, search_text: searchText(own) };
}

function codesOf(projectId: string, { carrier_code, method_code }: OwnValues) {
  return { project_id: projectId, carrier_code, method_code };
}
