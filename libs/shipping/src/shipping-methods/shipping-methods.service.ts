import { isDeepStrictEqual } from 'node:util';
import { type Observable, Subject } from 'rxjs';
import { type CallOptions, type Database } from '../database/database.js';
import { DatabaseUnavailableError, isUniqueViolation } from '../database/database.errors.js';
import { type ShippingSettings } from '../shipping.options.js';
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
import { CheckedListQuery, checkListQuery } from './list-query.check.js';
import {
  DuplicateMethodError,
  MethodNotFoundError,
  VersionMismatchError,
} from './shipping-methods.errors.js';
import { type MethodAnswers } from './method-answers.js';
import { MethodReads } from './method-reads.js';
import { MethodWrites } from './method-writes.js';
import { ownValuesOf, patched } from './own-values.js';
import { type ShippingMethodChange } from './shipping-method-change.js';

/** Options of a call that changes one method. */
export interface ChangeOptions extends CallOptions {
  /** The change happens only while the stored version is one of these (`If-Match`). */
  versions?: readonly number[];
}

/** With each lost race another writer has succeeded, so that this many mean something else is wrong. */
const maxLostRaces = 100;

function lostTooOften(): DatabaseUnavailableError {
  return new DatabaseUnavailableError(new Error(`Lost ${maxLostRaces} races against other writers.`));
}

/**
 * The shipping methods of each project. Every call checks its own input and throws the errors that the
 * routes answer with; every one takes a trailing `{ manager }` to join the caller's transaction.
 */
export class ShippingMethods {
  private readonly reads: MethodReads;
  private readonly writes: MethodWrites;
  private readonly committed = new Subject<ShippingMethodChange>();

  /**
   * What was committed through this instance of the service: after the outermost COMMIT, and never for what
   * was rolled back. Another process's changes do not come here.
   */
  readonly changes: Observable<ShippingMethodChange> = this.committed.asObservable();

  constructor(
    private readonly database: Database,
    private readonly answers: MethodAnswers,
    private readonly settings: ShippingSettings,
  ) {
    this.reads = new MethodReads(database, settings.defaultsProjectId);
    this.writes = new MethodWrites(database, settings.defaultsProjectId);
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
    for (let lost = 0; lost < maxLostRaces; lost++) {
      try {
        const after = await this.writes.insert(projectId, own, options);
        this.notify({ type: 'created', before: null, after }, options);
        return after;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
      const taken = await this.findByCodes(projectId, own.carrier_code, own.method_code, options);
      // The winner may be gone again by now: then the codes are free. A snapshot of the caller's may hide it.
      if (taken) throw new DuplicateMethodError(taken.id, isDeepStrictEqual(ownValuesOf(stored(taken)), own));
    }
    throw lostTooOften();
  }

  /**
   * One page, in the order `sort_order`, `carrier_code`, `method_code`; its rows and total are of one moment.
   * @throws InvalidParameterError
   */
  async list(
    projectId: string,
    query: ListShippingMethods | CheckedListQuery = {},
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
    return parsed(body);
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
   *   DuplicateMethodError with `existingId` when the new codes are taken
   */
  async update(
    projectId: string,
    id: string,
    input: UpsertShippingMethodRequest,
    options: ChangeOptions = {},
  ): Promise<ShippingMethodDto> {
    const request = checkedRequest(projectId, input);
    for (let lost = 0; lost < maxLostRaces; lost++) {
      const current = await this.findInVersion(projectId, id, options);
      const before = ownValuesOf(stored(current));
      const after = patched(before, request, current);
      if (isDeepStrictEqual(before, after)) return current;
      try {
        const updated = await this.writes.replace(current, after, options);
        // None: someone was faster. What is stored now decides anew.
        if (!updated) continue;
        this.notify({ type: 'updated', before: current, after: updated }, options);
        return updated;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        const taken = await this.findByCodes(projectId, after.carrier_code, after.method_code, options);
        if (taken) throw new DuplicateMethodError(taken.id);
      }
    }
    throw lostTooOften();
  }

  /** Creates the method, or updates the one that has its codes. */
  async upsert(
    projectId: string,
    input: UpsertShippingMethodRequest,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto> {
    for (;;) {
      try {
        return await this.create(projectId, input, options);
      } catch (error) {
        if (!(error instanceof DuplicateMethodError)) throw error;
        try {
          return await this.update(projectId, error.existingId, input, options);
        } catch (gone) {
          if (!(gone instanceof MethodNotFoundError)) throw gone;
        }
      }
    }
  }

  /**
   * @returns the method as it was
   * @throws MethodNotFoundError, VersionMismatchError, MethodInUseError
   */
  async remove(projectId: string, id: string, options: ChangeOptions = {}): Promise<ShippingMethodDto> {
    checkProject(projectId);
    for (let lost = 0; lost < maxLostRaces; lost++) {
      const current = await this.findInVersion(projectId, id, options);
      const removed = await this.writes.delete(current, options.versions !== undefined, options);
      if (!removed) continue;
      this.notify({ type: 'deleted', before: removed, after: null }, options);
      return removed;
    }
    throw lostTooOften();
  }

  /**
   * An opaque word that is another one after each change of what `list` and `tree` of the project show,
   * the defaults project's methods included. Read it before the data that it stands for.
   */
  async validator(projectId: string, options: CallOptions = {}): Promise<string> {
    checkProject(projectId);
    return this.answers.validator(projectId, options);
  }

  private notify(change: ShippingMethodChange, options: CallOptions): void {
    this.database.afterCommit(options, () => this.committed.next(change));
  }

  private async findInVersion(
    projectId: string,
    id: string,
    { versions, ...options }: ChangeOptions,
  ): Promise<ShippingMethodDto> {
    const current = await this.find(projectId, id, options);
    if (versions && !versions.includes(current.version)) throw new VersionMismatchError(current.version);
    return current;
  }
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
