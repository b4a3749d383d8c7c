import { isDeepStrictEqual } from 'node:util';
import { Inject } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';
import { type CallOptions, Database, forMany } from '../database/database.js';
import {
  DatabaseUnavailableError,
  isForeignKeyViolation,
  isUniqueViolation,
} from '../database/database.errors.js';
import { onePerDataSource } from '../database/one-per-data-source.js';
import { entityTag } from '../http/conditional.js';
import { ShippingSettings } from '../shipping.options.js';
import { Faults } from '../validation/faults.js';
import { checkIdentifier, isUuid } from '../validation/identifiers.js';
import { isCode } from '../validation/text.js';
import { type ListShippingMethods } from './dto/list-shipping-methods.dto.js';
import {
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingTree,
} from './dto/shipping-method.dto.js';
import { checkUpsert, type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { checkListQuery } from './list-query.check.js';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  VersionMismatchError,
} from './shipping-methods.errors.js';
import { MethodAnswers } from './method-answers.js';
import { MethodReads } from './method-reads.js';
import { MethodWrites } from './method-writes.js';
import { ownValuesOf, patched } from './own-values.js';
import { type ShippingMethodChange } from './shipping-method-change.js';

const committedOn = onePerDataSource(() => new Subject<ShippingMethodChange>());

/** Options of a call that changes one method. */
export interface ChangeOptions extends CallOptions {
  /** The change happens only while the stored version is one of these. */
  versions?: readonly number[];
  /** As `If-Match`: only while the method's `etag` is one of these, or its version alone, such as `"3"`. */
  etags?: readonly string[];
}

/**
 * The shipping methods of each project. Every call checks its own input and throws the errors that the
 * routes answer with; every one takes a trailing `{ manager }` to join the caller's transaction.
 */
export class ShippingMethods {
  private readonly committed: Subject<ShippingMethodChange>;

  /**
   * What was committed through the services and routes of all mounts of this process on this DataSource: after
   * the outermost COMMIT, and never for what was rolled back. Another process's changes do not come here.
   */
  readonly changes: Observable<ShippingMethodChange>;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(MethodReads) private readonly reads: MethodReads,
    @Inject(MethodWrites) private readonly writes: MethodWrites,
    @Inject(MethodAnswers) private readonly answers: MethodAnswers,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {
    this.committed = committedOn(database.dataSource);
    this.changes = this.committed.asObservable();
  }

  /** The largest `per_page` of a list. */
  get maxPageSize(): number {
    return this.settings.maxPageSize;
  }

  /**
   * @throws ValidationFailedError, InvalidParameterError; DuplicateMethodError with `existingId` and
   *   `identical` when the pair of codes is taken
   */
  async create(
    projectId: string,
    input: UpsertShippingMethodRequest,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedRequest(projectId, input);
    const own = ownValuesOf(request);
    const within = this.database.settled(options);
    return this.untilDone(projectId, within, async (waits) => {
      const after = await this.writes.insert(projectId, own, waits, within);
      if (after) {
        this.notify({ type: 'created', before: null, after }, within);
        return after;
      }
      const taken = await this.findByCodes(projectId, own.carrier_code, own.method_code, within);
      // The winner may be gone again by now: then the codes are free. A snapshot of the caller's may hide it.
      if (taken) throw new DuplicateMethodError(taken.id, isDeepStrictEqual(ownValuesOf(stored(taken)), own));
      return undefined;
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
    const faults = new Faults();
    checkIdentifier(faults, 'project_id', projectId);
    const checked = checkListQuery(faults, query, this.maxPageSize);
    faults.throwIfAny();
    const { body } = await this.answers.page(projectId, JSON.stringify(checked), () => checked, options);
    return parsed(body);
  }

  /** All methods, inactive ones too, by carrier. */
  async tree(projectId: string, options: CallOptions = {}): Promise<ShippingTree> {
    checkProject(projectId);
    const { body } = await this.answers.tree(projectId, options);
    return parsed(body ?? (await this.answers.wholeTree(projectId, options)).body);
  }

  /** What a checkout offers: the active methods, in list order. */
  async findActive(projectId: string, options: CallOptions = {}): Promise<ShippingMethodDto[]> {
    checkProject(projectId);
    const { body } = await this.answers.active(projectId, options);
    return parsed<ShippingMethodPage>(body).data;
  }

  /** @throws MethodNotFoundError */
  async find(projectId: string, id: string, options: CallOptions = {}): Promise<ShippingMethodDto> {
    checkProject(projectId);
    if (!isUuid(id)) throw new MethodNotFoundError();
    const method = await this.reads.find({ project_id: projectId, id }, options);
    if (!method) throw new MethodNotFoundError();
    return method;
  }

  /** @returns null when the project has no method with these codes */
  async findByCodes(
    projectId: string,
    carrierCode: string,
    methodCode: string,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto | null> {
    checkProject(projectId);
    // What is no code names no method; PostgreSQL would refuse a NUL.
    if (!isCode(carrierCode) || !isCode(methodCode)) return null;
    const key = { project_id: projectId, carrier_code: carrierCode, method_code: methodCode };
    return (await this.reads.find(key, options)) ?? null;
  }

  /**
   * Fields left out keep their value. A change of nothing keeps `version` and `updated_at`.
   * @throws ValidationFailedError, InvalidParameterError, MethodNotFoundError, VersionMismatchError;
   *   MethodInUseError when a foreign key of the host's names the codes; DuplicateMethodError with `existingId` when the new codes are taken
   */
  async update(
    projectId: string,
    id: string,
    input: UpsertShippingMethodRequest,
    options: ChangeOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedRequest(projectId, input);
    const within = this.database.settled(options);
    return this.patch(projectId, request, within, () =>
      this.findMatching(projectId, id, wantedTags(options), within),
    );
  }

  /** Creates the method, or updates the one that has its codes. */
  async upsert(
    projectId: string,
    input: UpsertShippingMethodRequest,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedRequest(projectId, input);
    const within = this.database.settled(options);
    // By its codes at each attempt: a method that lost them meanwhile is not the one that is meant.
    const find = async (): Promise<ShippingMethodDto> => {
      const { carrier_code, method_code } = request;
      const current = await this.findByCodes(projectId, carrier_code, method_code, within);
      if (!current) throw new MethodNotFoundError();
      return current;
    };
    return untilWon(async () => {
      try {
        return await this.create(projectId, request, within);
      } catch (error) {
        if (!(error instanceof DuplicateMethodError)) throw error;
      }
      try {
        return await this.patch(projectId, request, within, find);
      } catch (error) {
        if (!(error instanceof MethodNotFoundError)) throw error;
        return undefined;
      }
    });
  }

  /**
   * @returns the method as it was
   * @throws MethodNotFoundError, VersionMismatchError, MethodInUseError
   */
  async remove(projectId: string, id: string, options: ChangeOptions = {}): Promise<ShippingMethodDto> {
    checkProject(projectId);
    const wanted = wantedTags(options);
    const within = this.database.settled(options);
    return this.untilDone(projectId, within, async (waits) => {
      // It shares no statement with others.
      if (!waits) return undefined;
      const current = await this.findMatching(projectId, id, wanted, within);
      const removed = await this.writes.delete(current, wanted, within);
      if (removed) this.notify({ type: 'deleted', before: removed, after: null }, within);
      return removed;
    });
  }

  /** @param find the method as it is now */
  private patch(
    projectId: string,
    request: Readonly<UpsertShippingMethodRequest>,
    within: CallOptions,
    find: () => Promise<ShippingMethodDto>,
  ): Promise<ShippingMethodDto> {
    return this.untilDone(projectId, within, async (waits) => {
      const current = await find();
      const before = ownValuesOf(stored(current));
      const after = patched(before, request, current);
      if (isDeepStrictEqual(before, after)) return current;
      const { carrier_code, method_code } = after;
      const renames = carrier_code !== before.carrier_code || method_code !== before.method_code;
      if (renames) {
        // New codes wait for a host's rows that refer to the method, and with them all of its batch would.
        if (!waits) return undefined;
        // Under the lock nobody takes the codes: no violation ends the caller's transaction.
        await this.writes.lock(projectId, within);
        const taken = await this.findByCodes(projectId, carrier_code, method_code, within);
        if (taken && taken.id !== current.id) throw new DuplicateMethodError(taken.id);
      }
      try {
        const updated = await this.writes.replace(current, after, waits, within);
        // None: someone was faster. What is stored now decides anew.
        if (updated) this.notify({ type: 'updated', before: current, after: updated }, within);
        return updated;
      } catch (error) {
        if (isForeignKeyViolation(error)) throw new MethodInUseError(error);
        // On its own, the change has no lock between two statements.
        if (isUniqueViolation(error, 'uq_shipping_method_codes')) return undefined;
        throw error;
      }
    });
  }

  /**
   * A change goes with others first, and waits for nobody. One that they left out goes by itself, one at a time
   * in a project: only one connection of the host's waits for a lock that someone holds.
   * @param within settled already
   * @param attempt undefined: it was left out, or lost to another writer
   */
  private async untilDone<Done>(
    projectId: string,
    within: CallOptions,
    attempt: (waits: boolean) => Promise<Done | undefined>,
  ): Promise<Done> {
    const waiting = (): Promise<Done> => untilWon(() => attempt(true));
    if (within !== forMany) return waiting();
    return (await attempt(false)) ?? this.database.queue.take(projectId, waiting);
  }

  private notify(change: ShippingMethodChange, within: CallOptions): void {
    this.database.afterCommit(within, () => this.committed.next(change));
  }

  private async findMatching(
    projectId: string,
    id: string,
    wanted: readonly string[] | undefined,
    within: CallOptions,
  ): Promise<ShippingMethodDto> {
    const current = await this.find(projectId, id, within);
    const matches = !wanted || wanted.includes(current.etag) || wanted.includes(entityTag(current.version));
    if (!matches) throw new VersionMismatchError(current.version);
    return current;
  }
}

/** @returns the entity-tags that allow the change; undefined: it needs none */
function wantedTags({ versions, etags }: ChangeOptions): string[] | undefined {
  return versions || etags ? [...(versions ?? []).map(entityTag), ...(etags ?? [])] : undefined;
}

/** Tries again what was lost to another writer. */
async function untilWon<Won>(attempt: () => Promise<Won | undefined>): Promise<Won> {
  // With each lost race another writer has succeeded, so that this many mean something else is wrong.
  for (let lost = 0; lost < 100; lost++) {
    const won = await attempt();
    if (won !== undefined) return won;
  }
  throw new DatabaseUnavailableError(new Error('Lost 100 races against other writers.'));
}

/** Anew for each caller, who may change what it gets. */
function parsed<Data>(body: Buffer | null): Data {
  return JSON.parse(String(body)) as Data;
}

function stored(method: ShippingMethodDto): ShippingMethodDto {
  return { ...method, ...method.own };
}

function checkProject(projectId: string): void {
  const faults = new Faults();
  checkIdentifier(faults, 'project_id', projectId);
  faults.throwIfAny();
}

function checkedRequest(projectId: string, input: unknown): Readonly<UpsertShippingMethodRequest> {
  const faults = new Faults();
  checkIdentifier(faults, 'project_id', projectId);
  const request = checkUpsert(faults, input);
  faults.throwIfAny();
  return request;
}
