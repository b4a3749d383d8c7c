import { v7 as uuid } from 'uuid';
import { Batches } from '../database/batches.js';
import { type CallOptions, type Database, forMany } from '../database/database.js';
import { isForeignKeyViolation } from '../database/database.errors.js';
import { Parameters } from '../database/parameters.js';
import { lockProject, raise, raiseForInsert } from '../database/revision.js';
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
  private readonly inserts = new Batches((methods: SentMethod[]) =>
    together(methods, (each) => this.insertAll(each)),
  );
  private readonly replacements = new Batches((methods: Replacement[]) =>
    together(methods, (each) => this.replaceAll(each, 'SKIP LOCKED', forMany)),
  );

  constructor(
    private readonly database: Database,
    private readonly defaultsProjectId: string,
  ) {}

  /** @throws a unique violation when the codes are taken */
  async insert(projectId: string, own: OwnValues, options: CallOptions): Promise<ShippingMethodDto> {
    const method = { id: uuid(), project_id: projectId, ...own, search_text: searchText(own) };
    const inserted = this.database.isCallers(options) ? undefined : await this.inserts.join(method);
    return inserted ?? this.insertOne(method, options);
  }

  /**
   * Stores `own` while the method is still at the version of `current`.
   * @returns undefined when it is not
   */
  async replace(
    { id, project_id, version, use_default }: ShippingMethodDto,
    own: OwnValues,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const follows = Number(own.use_default) - Number(use_default);
    const method = { id, project_id, version, follows, ...own, search_text: searchText(own) };
    const replaced = this.database.isCallers(options) ? undefined : await this.replacements.join(method);
    return replaced ?? (await this.replaceAll([method], '', options))[0];
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
   * Methods of any projects, those that nothing stands against. It waits for nobody: a project whose row is new
   * or locked, and a pair of codes that is taken, are left out.
   */
  private insertAll(methods: readonly SentMethod[]): Promise<ShippingMethodDto[]> {
    const parameters = new Parameters();
    return this.changed(
      `WITH ${sent(methods, parameters)}, project AS (
         SELECT project_id FROM ${this.projects} WHERE project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent))
         ORDER BY project_id FOR UPDATE SKIP LOCKED
       ), ${this.insertSent('ON CONFLICT (project_id, carrier_code, method_code) DO NOTHING')},
       ${raise(this.projects, 1)}`,
      parameters,
      forMany,
    );
  }

  private async insertOne(method: SentMethod, options: CallOptions): Promise<ShippingMethodDto> {
    const parameters = new Parameters();
    const [row] = await this.changed(
      `WITH ${sent([method], parameters)}, ${raiseForInsert(this.projects)}, ${this.insertSent()}`,
      parameters,
      options,
    );
    if (!row) throw new Error('An insert returned no row.');
    return row;
  }

  /** A CTE that inserts the methods of `sent` whose project is in the CTE `project`. */
  private insertSent(onConflict = ''): string {
    const names = Object.keys(columns).join(', ');
    return `changed AS (
      INSERT INTO ${this.methods} (project_id, id, version, created_at, updated_at, ${names})
      SELECT project_id, id, 1, now.at, now.at, ${names}
      FROM sent JOIN project USING (project_id), (SELECT clock_timestamp() AS at) AS now
      ${onConflict} RETURNING *, use_default::integer AS follows
    )`;
  }

  /**
   * Methods of any projects, those that are still at the version that was read. A row of the host's may refer to
   * one of them in a transaction of its own (`NO KEY`).
   */
  private replaceAll(
    methods: readonly Replacement[],
    locked: '' | 'SKIP LOCKED',
    options: CallOptions,
  ): Promise<ShippingMethodDto[]> {
    const parameters = new Parameters();
    const values = Object.keys(columns).map((column) => `${column} = s.${column}`);
    return this.changed(
      `WITH ${sent(methods, parameters)}, current AS (
         SELECT s.* FROM ${this.projects} AS p JOIN sent AS s ON s.project_id = p.project_id
           JOIN ${this.methods} AS m ON m.project_id = s.project_id AND m.id = s.id AND m.version = s.version
         WHERE p.project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent))
         ORDER BY p.project_id, m.id FOR NO KEY UPDATE OF p, m ${locked}
       ), changed AS (
         UPDATE ${this.methods} AS m
         SET version = m.version + 1, updated_at = clock_timestamp(), ${values.join(', ')}
         FROM current AS s WHERE m.project_id = s.project_id AND m.id = s.id
         RETURNING m.*, s.follows
       ), ${raise(this.projects, 0)}`,
      parameters,
      options,
    );
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

interface SentMethod extends OwnValues {
  id: string;
  project_id: string;
  search_text: string;
}

interface Replacement extends SentMethod {
  /** Of the method that is replaced. */
  version: number;
  /** How many methods with `use_default` the project has more than before. */
  follows: number;
}

/** A CTE of the methods as they are to be stored. */
function sent(methods: readonly SentMethod[], parameters: Parameters): string {
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `sent AS (
    SELECT * FROM json_to_recordset(${parameters.bind(JSON.stringify(methods), 'json')})
      AS s(project_id text, id uuid, version integer, follows integer, ${types.join(', ')})
  )`;
}

/**
 * Writes methods in one statement and one commit.
 * @param write returns those it has written
 * @returns undefined for each that has to be written by itself
 */
async function together<Method extends SentMethod>(
  methods: readonly Method[],
  write: (methods: readonly Method[]) => Promise<ShippingMethodDto[]>,
): Promise<(ShippingMethodDto | undefined)[]> {
  // Of two that change the same method only one can.
  const each = new Map(methods.map((method) => [method.id, method]));
  try {
    const written = new Map((await write([...each.values()])).map((row) => [row.id, row]));
    return methods.map((method) => (each.get(method.id) === method ? written.get(method.id) : undefined));
  } catch (error) {
    if (error instanceof ShippingException) throw error;
    // What one of them met, perhaps in a trigger of the host's, is not for the others.
    return methods.map(() => undefined);
  }
}
