import { v7 as uuid } from 'uuid';
import { Batches } from '../database/batches.js';
import { type CallOptions, type Database } from '../database/database.js';
import { isForeignKeyViolation } from '../database/database.errors.js';
import { Parameters } from '../database/parameters.js';
import { lockProject, raiseForChange, raiseForInsert, raiseForInserts } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { ShippingException } from '../shipping.exception.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type OwnValues } from './own-values.js';
import { methodJson, Presentation, searchText } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';
import { MethodInUseError } from './shipping-methods.errors.js';

/** What writes methods: each is one statement, names its project, raises its row, and presents what it wrote. */
export class MethodWrites {
  private readonly presented = new Presentation(true);
  private readonly inserts = new Batches((methods: NewMethod[]) => this.insertAll(methods));

  constructor(
    private readonly database: Database,
    private readonly defaultsProjectId: string,
  ) {}

  /** @throws a unique violation when the codes are taken */
  async insert(projectId: string, own: OwnValues, options: CallOptions): Promise<ShippingMethodDto> {
    const id = uuid();
    const inserted = this.database.isCallers(options)
      ? undefined
      : await this.inserts.join({ id, project_id: projectId, ...own, search_text: searchText(own) });
    return inserted ?? this.insertOne(projectId, id, own, options);
  }

  /**
   * Methods of any projects, those that nothing stands against, in one statement and one commit. It waits for
   * nobody: a project whose row is new or locked, and a pair of codes that is taken, are left to `insertOne`.
   */
  private async insertAll(methods: NewMethod[]): Promise<(ShippingMethodDto | undefined)[]> {
    const parameters = new Parameters();
    const names = columnNames.join(', ');
    const sent = parameters.bind(JSON.stringify(methods), 'json');
    try {
      const rows = await this.changed(
        `WITH sent AS (
           SELECT * FROM json_to_recordset(${sent}) AS s(project_id text, id uuid, ${columnTypes})
         ), project AS (
           SELECT project_id FROM ${this.projects} WHERE project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent))
           ORDER BY project_id FOR UPDATE SKIP LOCKED
         ), changed AS (
           INSERT INTO ${this.methods} (project_id, id, version, created_at, updated_at, ${names})
           SELECT project_id, id, 1, now.at, now.at, ${names}
           FROM sent JOIN project USING (project_id), (SELECT clock_timestamp() AS at) AS now
           ON CONFLICT (project_id, carrier_code, method_code) DO NOTHING
           RETURNING *
         ), ${raiseForInserts(this.projects)}`,
        parameters,
        {},
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      return methods.map(({ id }) => byId.get(id));
    } catch (error) {
      if (error instanceof ShippingException) throw error;
      // What one of them met, perhaps in a trigger of the host's, is not for the others: each by itself.
      return methods.map(() => undefined);
    }
  }

  private async insertOne(
    projectId: string,
    id: string,
    own: OwnValues,
    options: CallOptions,
  ): Promise<ShippingMethodDto> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const values = columnsOf(own, parameters);
    const useDefault = parameters.bind(own.use_default, 'boolean');
    const [row] = await this.changed(
      `WITH ${raiseForInsert(this.projects, project, useDefault)}, changed AS (
         INSERT INTO ${this.methods}
           (project_id, id, version, created_at, updated_at, ${Object.keys(values).join(', ')})
         SELECT project.project_id, ${parameters.bind(id, 'uuid')}, 1, now.at, now.at,
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
    const rows = await this.database.write<{ json: string }>(
      `${ctes} SELECT ${methodJson} AS json FROM (SELECT ${this.presented.columns} FROM ${from}) AS m`,
      parameters.values,
      options,
    );
    return rows.map(({ json }) => JSON.parse(json) as ShippingMethodDto);
  }

  private get methods(): string {
    return this.database.table(ShippingMethod);
  }

  private get projects(): string {
    return this.database.table(ShippingProject);
  }
}

/** The columns that a client can set, and the one for searching. */
const columns = {
  carrier_code: 'text',
  carrier_label: 'text',
  method_code: 'text',
  method_label: 'text',
  is_active: 'boolean',
  sort_order: 'integer',
  meta: 'jsonb',
  use_default: 'boolean',
  search_text: 'text',
} as const satisfies Record<keyof OwnValues | 'search_text', string>;

const columnNames = Object.keys(columns);
const columnTypes = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

interface NewMethod extends OwnValues {
  id: string;
  project_id: string;
  search_text: string;
}

/** The columns and their placeholders. */
function columnsOf(own: OwnValues, parameters: Parameters): Record<string, string> {
  const values = { ...own, meta: JSON.stringify(own.meta), search_text: searchText(own) };
  return Object.fromEntries(
    Object.entries(columns).map(([name, type]) => [
      name,
      parameters.bind(values[name as keyof typeof columns], type),
    ]),
  );
}
