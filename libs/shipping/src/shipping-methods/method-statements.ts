import { v7 as uuid } from 'uuid';
import { type CallOptions, type Database } from '../database/database.js';
import { isForeignKeyViolation } from '../database/database.errors.js';
import { Parameters } from '../database/parameters.js';
import { lockProject, raiseForChange, raiseForInsert } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { type ShippingMethodDto, type ShippingMethodPage } from './dto/shipping-method.dto.js';
import { type CheckedListQuery } from './list-query.check.js';
import { type OwnValues } from './own-values.js';
import { listOrder, Presentation, searchText } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';
import { MethodInUseError } from './shipping-methods.errors.js';

interface MethodRow {
  method: string;
}

/** The statements of the methods: each is one round trip, names its project, and presents what it returns. */
export class MethodStatements {
  private readonly presented = new Presentation(true);
  private readonly stored = new Presentation(false);

  constructor(
    private readonly database: Database,
    private readonly defaultsProjectId: string,
  ) {}

  /** The methods of a project in list order, those that satisfy `where`. */
  async select(
    projectId: string,
    options: CallOptions,
    where: (parameters: Parameters) => string = () => 'true',
  ): Promise<ShippingMethodDto[]> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const from = this.presented.from(this.methods, this.methods, this.defaultsProjectId, parameters);
    const rows = await this.database.read<MethodRow>(
      `SELECT row_to_json(p)::text AS method FROM (
         SELECT ${this.presented.columns} FROM ${from}
         WHERE m.project_id = ${project} AND ${where(parameters)}
       ) AS p ORDER BY ${orderOfPresented}`,
      parameters.values,
      options,
    );
    return rows.map(parsed);
  }

  /** A page and its total, of one moment. */
  async page(projectId: string, query: CheckedListQuery, options: CallOptions): Promise<ShippingMethodPage> {
    // Most projects follow no defaults and are read by index, in order. The statement says if this one does.
    const { followers, ...stored } = await this.pageAs(this.stored, projectId, query, options);
    if (followers === 0) return stored;
    const { data, meta } = await this.pageAs(this.presented, projectId, query, options);
    return { data, meta };
  }

  private async pageAs(
    presentation: Presentation,
    projectId: string,
    { page, perPage, words, groups }: CheckedListQuery,
    options: CallOptions,
  ): Promise<ShippingMethodPage & { followers: number }> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const from = presentation.from(this.methods, this.methods, this.defaultsProjectId, parameters);
    const conditions = [
      ...words.map((word) => presentation.hasWord(word, parameters)),
      ...groups.map((group) => {
        const any = group.map((condition) => presentation.satisfies(condition, parameters));
        return any.length > 0 ? `(${any.join(' OR ')})` : 'false';
      }),
    ];
    const matching = `FROM ${from} WHERE ${[`m.project_id = ${project}`, ...conditions].join(' AND ')}`;
    const [row] = await this.database.read<{ total: number; followers: number; data: string | null }>(
      `SELECT COALESCE(project.followers, 0) AS followers,
         ${conditions.length > 0 ? `(SELECT count(*)::integer ${matching})` : 'COALESCE(project.methods, 0)'} AS total,
         (SELECT json_agg(p ORDER BY ${orderOfPresented})::text FROM (
            SELECT ${presentation.columns} ${matching} ORDER BY ${presentation.order}
            LIMIT ${parameters.bind(perPage, 'integer')} OFFSET ${parameters.bind((page - 1) * perPage, 'integer')}
          ) AS p) AS data
       FROM (SELECT 1) AS one LEFT JOIN ${this.projects} AS project ON project.project_id = ${project}`,
      parameters.values,
      options,
    );
    const { total = 0, followers = 0, data = null } = row ?? {};
    return {
      data: JSON.parse(data ?? '[]') as ShippingMethodDto[],
      meta: { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) },
      followers,
    };
  }

  /** The revisions of the project and of the defaults project, in this order; 0 before the first method. */
  async revisions(projectId: string, options: CallOptions): Promise<[bigint, bigint]> {
    const rows = await this.database.read<{ project_id: string; revision: string }>(
      `SELECT project_id, revision::text AS revision FROM ${this.projects} WHERE project_id IN ($1, $2)`,
      [projectId, this.defaultsProjectId],
      options,
    );
    const revisionOf = (id: string): bigint =>
      BigInt(rows.find((row) => row.project_id === id)?.revision ?? 0);
    return [revisionOf(projectId), revisionOf(this.defaultsProjectId)];
  }

  /** @throws a unique violation when the codes are taken */
  async insert(projectId: string, own: OwnValues, options: CallOptions): Promise<ShippingMethodDto> {
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

  /**
   * Stores `own` while the method is still at the version of `current`.
   * @returns undefined when it is not
   */
  async replace(
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

  /** @returns undefined when the method is gone, or, guarded, no longer at the version of `current` */
  async delete(
    current: ShippingMethodDto,
    isGuarded: boolean,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const parameters = new Parameters();
    const project = lockProject(this.projects, parameters.bind(current.project_id, 'text'));
    const id = parameters.bind(current.id, 'uuid');
    const version = isGuarded ? `AND m.version = ${parameters.bind(current.version, 'integer')}` : '';
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
    const from = this.presented.from('changed', this.methods, this.defaultsProjectId, parameters);
    const rows = await this.database.write<MethodRow>(
      `${ctes} SELECT row_to_json(p)::text AS method FROM (SELECT ${this.presented.columns} FROM ${from}) AS p`,
      parameters.values,
      options,
    );
    return rows.map(parsed);
  }

  private get methods(): string {
    return this.database.table(ShippingMethod);
  }

  private get projects(): string {
    return this.database.table(ShippingProject);
  }
}

const orderOfPresented = listOrder.map((column) => `p.${column}`).join(', ');

function parsed(row: MethodRow): ShippingMethodDto {
  return JSON.parse(row.method) as ShippingMethodDto;
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
