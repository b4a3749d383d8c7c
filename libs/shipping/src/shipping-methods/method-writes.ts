import { Inject } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Batches } from '../database/batches.js';
import { type CallOptions, Database, forMany } from '../database/database.js';
import { isForeignKeyViolation, isLost } from '../database/database.errors.js';
import { impatience } from '../database/keyed-queue.js';
import { Parameters } from '../database/parameters.js';
import { lockProjects, makeProject, raise } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { ShippingException } from '../shipping.exception.js';
import { ShippingSettings } from '../shipping.options.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { settableFields } from './method-fields.js';
import { type OwnValues } from './own-values.js';
import { methodEtag, methodJson, Presentation, searchText } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';
import { MethodInUseError } from './shipping-methods.errors.js';

/** What writes methods: each is one statement, names its project, raises its row, and presents what it wrote. */
export class MethodWrites {
  private readonly presented = new Presentation(true);
  private readonly inserts = new Batches((methods: SentMethod[]) =>
    together(methods, (each) => this.insertAll(each, 'SKIP LOCKED', forMany)),
  );
  private readonly replacements = new Batches((methods: SentMethod[]) =>
    together(methods, (each) => this.replaceAll(each, 'SKIP LOCKED', forMany)),
  );

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {}

  /**
   * @param waits whether others' locks are waited for; else it shares a statement with others, and is left out
   * @returns undefined when the codes are taken, or it was left out
   */
  async insert(
    projectId: string,
    own: OwnValues,
    waits: boolean,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const method = { id: uuid(), project_id: projectId, version: 1, ...own, search_text: searchText(own) };
    if (!waits) return this.inserts.join(method);
    await this.database.write(makeProject(this.projects), [projectId], options);
    return (await this.insertAll([method], '', options))[0];
  }

  /**
   * Stores `own` while what the method presents is still `current`: what came back as presented was left out of it.
   * @param waits as for `insert`
   * @returns undefined when it is not, or it was left out
   */
  async replace(
    current: ShippingMethodDto,
    own: OwnValues,
    waits: boolean,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const { id, project_id, version, etag } = current;
    const method = { id, project_id, version, etag, ...own, search_text: searchText(own) };
    return waits ? (await this.replaceAll([method], '', options))[0] : this.replacements.join(method);
  }

  /** Keeps other writers of the project away until the caller's transaction ends. What it reads then stays true. */
  async lock(projectId: string, options: CallOptions): Promise<void> {
    const project = lockProjects(this.projects, '$1::text[]');
    await this.database.write(`WITH ${project} SELECT FROM project`, [[projectId]], options);
  }

  /** @returns undefined when the method is gone, or matches none of the entity-tags any more, if there are any */
  async delete(
    current: ShippingMethodDto,
    etags: readonly string[] | undefined,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const parameters = new Parameters();
    const project = lockProjects(this.projects, parameters.bind([current.project_id], 'text[]'));
    const id = parameters.bind(current.id, 'uuid');
    const wanted = parameters.bind(etags, 'text[]');
    try {
      const [row] = await this.changed(
        `WITH ${project}, changed AS (
           DELETE FROM ${this.methods} AS m USING project
           WHERE m.project_id = project.project_id AND m.id = ${id}
             AND (${wanted} IS NULL OR concat('"', m.version, '"') = ANY(${wanted})
               OR ${this.etag(parameters)} = ANY(${wanted}))
           RETURNING m.*, -m.use_default::integer AS follows
         ), ${raise(this.projects, -1)}`,
        parameters,
        options,
      );
      return row;
    } catch (error) {
      throw isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
    }
  }

  /**
   * Methods of any projects, those whose codes are free. With SKIP LOCKED it waits for nobody: a project whose
   * row is locked is left out, as is one that has no row.
   */
  private insertAll(
    methods: readonly SentMethod[],
    locked: '' | 'SKIP LOCKED',
    options: CallOptions,
  ): Promise<ShippingMethodDto[]> {
    const parameters = new Parameters();
    const names = ['project_id', 'id', 'version', ...columns].join(', ');
    return this.changed(
      `WITH ${this.sent(methods, locked, parameters)}, ${lockProjects(this.projects, sentProjects, locked)}, changed AS (
         INSERT INTO ${this.methods} (${names}, created_at, updated_at)
         SELECT ${names}, now.at, now.at
         FROM sent JOIN project USING (project_id), (SELECT clock_timestamp() AS at) AS now
         ON CONFLICT (project_id, carrier_code, method_code) DO NOTHING RETURNING *, use_default::integer AS follows
       ), ${raise(this.projects, 1)}`,
      parameters,
      options,
    );
  }

  /**
   * Methods of any projects, those that still present what was read. A row of the host's may refer to one of them in
   * a transaction of its own (`NO KEY`). The codes are named for the planner's sake, as in `byCodes`. No row of the
   * defaults project is locked: a default that changes while the statement runs changes after it.
   */
  private replaceAll(
    methods: readonly SentMethod[],
    locked: '' | 'SKIP LOCKED',
    options: CallOptions,
  ): Promise<ShippingMethodDto[]> {
    const parameters = new Parameters();
    const values = columns.map((column) => `${column} = s.${column}`);
    return this.changed(
      `WITH ${this.sent(methods, locked, parameters)}, current AS (
         SELECT s.*, s.use_default::integer - m.use_default::integer AS follows, m.carrier_code AS carrier, m.method_code AS method
         FROM ${this.projects} AS p JOIN sent AS s ON s.project_id = p.project_id
           JOIN ${this.methods} AS m ON m.project_id = s.project_id AND m.id = s.id AND m.version = s.version
         WHERE p.project_id = ANY(${sentProjects}) AND s.etag = ${this.etag(parameters)}
         ORDER BY p.project_id, m.id FOR NO KEY UPDATE OF p, m ${locked}
       ), changed AS (
         UPDATE ${this.methods} AS m
         SET version = m.version + 1, updated_at = clock_timestamp(), ${values.join(', ')}
         FROM current AS s WHERE m.project_id = s.project_id AND m.id = s.id
           AND m.carrier_code = s.carrier AND m.method_code = s.method
         RETURNING m.*, s.follows
       ), ${raise(this.projects, 0)}`,
      parameters,
      options,
    );
  }

  /** A CTE of the methods as they are to be stored. */
  private sent(methods: readonly SentMethod[], locked: '' | 'SKIP LOCKED', parameters: Parameters): string {
    const json = parameters.bind(JSON.stringify(methods), 'json');
    const patience = locked && `, ${impatience}`;
    return `sent AS (
         SELECT m.*, one.value ->> 'etag' AS etag
         FROM json_array_elements(${json}) AS one, json_populate_record(NULL::${this.methods}, one.value) AS m ${patience}
       )`;
  }

  /** The entity-tag of the method `m`, as the statement sees it and its default. */
  private etag(parameters: Parameters): string {
    const { defaultsProjectId } = this.settings;
    const from = this.presented.from('(SELECT m.*)', this.methods, defaultsProjectId, parameters);
    return `(SELECT ${methodEtag} FROM (SELECT ${this.presented.columns} FROM ${from}) AS m)`;
  }

  /** Runs a statement whose CTE `changed` holds the rows it wrote, and presents these. */
  private async changed(
    ctes: string,
    parameters: Parameters,
    options: CallOptions,
  ): Promise<ShippingMethodDto[]> {
    const from = this.presented.from('changed', this.methods, this.settings.defaultsProjectId, parameters);
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
const columns = [...settableFields, 'search_text'];

/** The projects of the CTE `sent`: an array, so that each is looked up by its key. */
const sentProjects = 'ARRAY(SELECT DISTINCT project_id FROM sent)';

interface SentMethod extends OwnValues {
  id: string;
  project_id: string;
  /** The first one, or that of the method that is replaced. */
  version: number;
  /** What the method that is replaced had when it was read. */
  etag?: string;
  search_text: string;
}

/**
 * Writes methods in one statement and one commit.
 * @param write returns those it has written
 * @returns undefined for each that has to be written by itself
 */
async function together(
  methods: readonly SentMethod[],
  write: (methods: readonly SentMethod[]) => Promise<ShippingMethodDto[]>,
): Promise<(ShippingMethodDto | undefined)[]> {
  // Of two that change the same method only one can.
  const each = new Map(methods.map((method) => [method.id, method]));
  try {
    const written = new Map((await write([...each.values()])).map((row) => [row.id, row]));
    return methods.map((method) => (each.get(method.id) === method ? written.get(method.id) : undefined));
  } catch (error) {
    if (error instanceof ShippingException && !isLost(error)) throw error;
    // What one of them met, perhaps in a trigger of the host's, is not for the others.
    return methods.map(() => undefined);
  }
}
