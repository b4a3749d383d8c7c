import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import { type CallOptions, type Database } from '../database/database.js';
import {
  DatabaseUnavailableError,
  isForeignKeyViolation,
  isUniqueViolation,
} from '../database/database.errors.js';
import { Parameters } from '../database/parameters.js';
import { lockProject, raiseForChange, raiseForInsert } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { type ShippingSettings } from '../shipping.options.js';
import { Faults } from '../validation/faults.js';
import { checkIdentifier, isUuid } from '../validation/identifiers.js';
import { type ListShippingMethods } from './dto/list-shipping-methods.dto.js';
import {
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingTree,
} from './dto/shipping-method.dto.js';
import { checkUpsert, type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { CheckedListQuery, checkListQuery } from './list-query.check.js';
import { listOrder, Presentation, searchText } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  VersionMismatchError,
} from './shipping-methods.errors.js';
import { type OwnValues, ownValuesOf, patched } from './own-values.js';
import { treeOf } from './tree.js';

/** Options of a call that changes one method. */
export interface ChangeOptions extends CallOptions {
  /** The change happens only while the stored version is one of these (`If-Match`). */
  versions?: readonly number[];
}

/** With each lost race another writer has succeeded, so that this many mean something else is wrong. */
const maxLostRaces = 100;

interface MethodRow {
  method: string;
}

/**
 * The shipping methods of each project. Every call checks its own input and throws the errors that the
 * routes answer with; every one takes a trailing `{ manager }` to join the caller's transaction.
 */
export class ShippingMethods {
  private readonly presented = new Presentation(true);
  private readonly stored = new Presentation(false);

  constructor(
    private readonly database: Database,
    readonly settings: ShippingSettings,
  ) {}

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
    for (;;) {
      try {
        return await this.insert(projectId, own, options);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
      const taken = await this.findByCodes(projectId, own.carrier_code, own.method_code, options);
      // The winner may be gone again by now: then the codes are free.
      if (taken) throw new DuplicateMethodError(taken.id, isDeepStrictEqual(ownValuesOf(stored(taken)), own));
    }
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
    const checked = checkListQuery(faults, query, this.settings.maxPageSize);
    faults.throwIfAny();
    return this.page(projectId, checked, options);
  }

  /** All methods, inactive ones too, by carrier. */
  async tree(projectId: string, options: CallOptions = {}): Promise<ShippingTree> {
    checkProject(projectId);
    return { data: treeOf(await this.all(projectId, 'true', options)) };
  }

  /** What a checkout offers: the active methods, in list order. */
  async findActive(projectId: string, options: CallOptions = {}): Promise<ShippingMethodDto[]> {
    checkProject(projectId);
    return this.all(projectId, 'm.is_active', options);
  }

  /** @throws MethodNotFoundError */
  async find(projectId: string, id: string, options: CallOptions = {}): Promise<ShippingMethodDto> {
    checkProject(projectId);
    const parameters = new Parameters();
    const found =
      isUuid(id) && (await this.one(projectId, `m.id = ${parameters.bind(id, 'uuid')}`, parameters, options));
    if (!found) throw new MethodNotFoundError();
    return found;
  }

  /** @returns null when the project has no method with these codes */
  async findByCodes(
    projectId: string,
    carrierCode: string,
    methodCode: string,
    options: CallOptions = {},
  ): Promise<ShippingMethodDto | null> {
    checkProject(projectId);
    const parameters = new Parameters();
    const carrier = parameters.bind(carrierCode, 'text');
    const method = parameters.bind(methodCode, 'text');
    const codes = `m.carrier_code = ${carrier} AND m.method_code = ${method}`;
    return this.one(projectId, codes, parameters, options);
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
        const updated = await this.replace(current, after, options);
        // None: someone was faster. What is stored now decides anew.
        if (updated) return updated;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        const taken = await this.findByCodes(projectId, after.carrier_code, after.method_code, options);
        if (taken) throw new DuplicateMethodError(taken.id);
      }
    }
    throw new DatabaseUnavailableError(new Error(`Lost ${maxLostRaces} races for method ${id}.`));
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
      const removed = await this.delete(current, options);
      if (removed) return removed;
    }
    throw new DatabaseUnavailableError(new Error(`Lost ${maxLostRaces} races for method ${id}.`));
  }

  /**
   * An opaque word that is another one after each change of what `list` and `tree` of the project show,
   * the defaults project's methods included. Read it before the data that it stands for.
   */
  async validator(projectId: string, options: CallOptions = {}): Promise<string> {
    checkProject(projectId);
    const rows = await this.database.read<{ project_id: string; revision: string; followers: number }>(
      `SELECT project_id, revision::text AS revision, followers FROM ${this.projects}
       WHERE project_id IN ($1, $2)`,
      [projectId, this.settings.defaultsProjectId],
      options,
    );
    const revisionOf = (id: string): string =>
      BigInt(rows.find((row) => row.project_id === id)?.revision ?? 0).toString(36);
    return `1.${revisionOf(projectId)}.${revisionOf(this.settings.defaultsProjectId)}`;
  }

  private get methods(): string {
    return this.database.table(ShippingMethod);
  }

  private get projects(): string {
    return this.database.table(ShippingProject);
  }

  private async page(
    projectId: string,
    query: CheckedListQuery,
    options: CallOptions,
  ): Promise<ShippingMethodPage> {
    const { page, perPage, words, groups } = query;
    // Most projects follow no defaults and are read by index, in order. The statement says if this one does.
    for (const presentation of [this.stored, this.presented]) {
      const parameters = new Parameters();
      const project = parameters.bind(projectId, 'text');
      const from = presentation.from(this.methods, this.methods, this.settings.defaultsProjectId, parameters);
      const where = [
        `m.project_id = ${project}`,
        ...words.map((word) => presentation.hasWord(word, parameters)),
        ...groups.map((group) => {
          const any = group.map((condition) => presentation.satisfies(condition, parameters));
          return any.length > 0 ? `(${any.join(' OR ')})` : 'false';
        }),
      ].join(' AND ');
      const isWhole = words.length === 0 && groups.length === 0;
      const total = isWhole
        ? 'COALESCE(project.methods, 0)'
        : `(SELECT count(*)::integer FROM ${from} WHERE ${where})`;
      const [row] = await this.database.read<{ total: number; followers: number; data: string | null }>(
        `SELECT ${total} AS total, COALESCE(project.followers, 0) AS followers,
           (SELECT json_agg(p ORDER BY ${listOrder.map((column) => `p.${column}`).join(', ')})::text
            FROM (SELECT ${presentation.columns} FROM ${from} WHERE ${where} ORDER BY ${presentation.order}
              LIMIT ${parameters.bind(perPage, 'integer')}
              OFFSET ${parameters.bind((page - 1) * perPage, 'integer')}) AS p) AS data
         FROM (SELECT 1) AS one LEFT JOIN ${this.projects} AS project ON project.project_id = ${project}`,
        parameters.values,
        options,
      );
      if (!row || (row.followers > 0 && presentation === this.stored)) continue;
      const total_pages = Math.ceil(row.total / perPage);
      const data = JSON.parse(row.data ?? '[]') as ShippingMethodDto[];
      return { data, meta: { page, per_page: perPage, total: row.total, total_pages } };
    }
    throw new Error('unreachable');
  }

  private async all(
    projectId: string,
    condition: string,
    options: CallOptions,
  ): Promise<ShippingMethodDto[]> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const from = this.presented.from(this.methods, this.methods, this.settings.defaultsProjectId, parameters);
    const rows = await this.database.read<MethodRow>(
      `SELECT row_to_json(p)::text AS method FROM (
         SELECT ${this.presented.columns} FROM ${from} WHERE m.project_id = ${project} AND ${condition}
       ) AS p ORDER BY ${listOrder.map((column) => `p.${column}`).join(', ')}`,
      parameters.values,
      options,
    );
    return rows.map(parsed);
  }

  private async one(
    projectId: string,
    condition: string,
    parameters: Parameters,
    options: CallOptions,
  ): Promise<ShippingMethodDto | null> {
    const project = parameters.bind(projectId, 'text');
    const from = this.presented.from(this.methods, this.methods, this.settings.defaultsProjectId, parameters);
    const [row] = await this.database.read<MethodRow>(
      `SELECT row_to_json(p)::text AS method
       FROM (SELECT ${this.presented.columns} FROM ${from} WHERE m.project_id = ${project} AND ${condition}) AS p`,
      parameters.values,
      options,
    );
    return row ? parsed(row) : null;
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

  private async insert(projectId: string, own: OwnValues, options: CallOptions): Promise<ShippingMethodDto> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const values = columnsOf(own, parameters);
    const useDefault = parameters.bind(own.use_default, 'boolean');
    const [row] = await this.changed(
      `WITH ${raiseForInsert(this.projects, project, useDefault)}, changed AS (
         INSERT INTO ${this.methods}
           (project_id, id, version, created_at, updated_at, ${Object.keys(values).join(', ')})
         SELECT project.project_id, ${parameters.bind(uuid(), 'uuid')}, 1, now.at, now.at,
           ${Object.values(values).join(', ')}
         FROM project, (SELECT clock_timestamp() AS at) AS now
         RETURNING *
       )`,
      parameters,
      options,
    );
    if (!row) throw new Error('An insert returned no row.');
    return row;
  }

  private async replace(
    current: ShippingMethodDto,
    own: OwnValues,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const parameters = new Parameters();
    const values = columnsOf(own, parameters);
    const followers = Number(own.use_default) - Number(current.use_default);
    const [row] = await this.changed(
      `WITH ${lockProject(this.projects, parameters.bind(current.project_id, 'text'))}, changed AS (
         UPDATE ${this.methods} AS m
         SET version = m.version + 1, updated_at = clock_timestamp(),
           ${Object.entries(values)
             .map(([column, value]) => `${column} = ${value}`)
             .join(', ')}
         FROM project WHERE m.project_id = project.project_id
           AND m.id = ${parameters.bind(current.id, 'uuid')}
           AND m.version = ${parameters.bind(current.version, 'integer')}
         RETURNING m.*
       ), ${raiseForChange(this.projects, '0', parameters.bind(followers, 'integer'))}`,
      parameters,
      options,
    );
    return row;
  }

  private async delete(
    current: ShippingMethodDto,
    options: ChangeOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const parameters = new Parameters();
    const project = lockProject(this.projects, parameters.bind(current.project_id, 'text'));
    const id = parameters.bind(current.id, 'uuid');
    const version = options.versions ? `AND m.version = ${parameters.bind(current.version, 'integer')}` : '';
    try {
      const [row] = await this.changed(
        `WITH ${project}, changed AS (
           DELETE FROM ${this.methods} AS m USING project
           WHERE m.project_id = project.project_id AND m.id = ${id} ${version}
           RETURNING m.*
         ), ${raiseForChange(this.projects, '-1', '-changed.use_default::integer')}`,
        parameters,
        options,
      );
      return row;
    } catch (error) {
      throw isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
    }
  }

  /** Runs a statement whose CTE `changed` holds the rows it wrote, and presents these. */
  private async changed(
    ctes: string,
    parameters: Parameters,
    options: CallOptions,
  ): Promise<ShippingMethodDto[]> {
    const from = this.presented.from('changed', this.methods, this.settings.defaultsProjectId, parameters);
    const rows = await this.database.write<MethodRow>(
      `${ctes} SELECT row_to_json(p)::text AS method FROM (SELECT ${this.presented.columns} FROM ${from}) AS p`,
      parameters.values,
      options,
    );
    return rows.map(parsed);
  }
}

function parsed(row: MethodRow): ShippingMethodDto {
  return JSON.parse(row.method) as ShippingMethodDto;
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

function columnsOf(own: OwnValues, parameters: Parameters): Record<string, string> {
  return {
    carrier_code: parameters.bind(own.carrier_code, 'text'),
    carrier_label: parameters.bind(own.carrier_label, 'text'),
    method_code: parameters.bind(own.method_code, 'text'),
    method_label: parameters.bind(own.method_label, 'text'),
    is_active: parameters.bind(own.is_active, 'boolean'),
    sort_order: parameters.bind(own.sort_order, 'integer'),
    meta: parameters.bind(JSON.stringify(own.meta), 'jsonb'),
    use_default: parameters.bind(own.use_default, 'boolean'),
    search_text: parameters.bind(searchText(own), 'text'),
  };
}
