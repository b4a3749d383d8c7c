import {
  type ShippingCarrierDto,
  type ShippingMethodDto,
} from '../../shipping-methods/dto/shipping-method.dto.js';
import { type CheckedListQuery } from '../../shipping-methods/list-query.check.js';
import { settableFields } from '../../shipping-methods/method-fields.js';
import { MethodInUseError } from '../../shipping-methods/shipping-methods.errors.js';
import {
  type ChangedMethod,
  type Inserted,
  type MethodKey,
  type NewMethod,
  type Read,
  type Replaced,
  type StorageSettings,
} from '../shipping-storage.js';
import { type Bind, conditionsOf, listOrder, shownOrder } from '../shown.js';
import { type HeadedRead, SqlMethods } from '../sql-methods.js';
import { JoinedTransaction, type Scope } from '../transactions.js';
import { formatOf, jsonObject } from '../wire-json.js';
import { byCodes, byId, methodEtag, methodJson, shownColumns, withDefaults } from './inheritance.js';
import { type Postgres } from './postgres.js';
import { isForeignKeyViolation, isUniqueViolation } from './postgres.errors.js';
import { dialect, impatience } from './sql.js';

const branchOrder = 'sort_order, method_code';

/** A carrier of the tree. */
const branchJson = dialect.concat(
  jsonObject({
    carrier_code: [dialect.jsonText('carrier_code')],
    // The first one among its methods.
    carrier_label: [
      dialect.jsonText(
        `COALESCE((array_agg(carrier_label ORDER BY ${branchOrder}) FILTER (WHERE carrier_label IS NOT NULL))[1], carrier_code)`,
      ),
    ],
    is_active: [dialect.jsonBoolean('bool_or(is_active)')],
    sort_order: ['min(sort_order)'],
    methods: [`'['`, `string_agg(${methodJson}, ',' ORDER BY ${branchOrder})`, `']'`],
  } satisfies Record<keyof ShippingCarrierDto, string[]>),
);

/** What a client sets, and the text for searching. */
const setColumns = [...settableFields, 'search_text'];

/** The projects of the CTE `sent`: an array, so that each is looked up by its key. */
const sentProjects = 'ARRAY(SELECT DISTINCT project_id FROM sent)';

/** Each call is one statement, which names its projects. */
export class PostgresMethods extends SqlMethods {
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly postgres: Postgres,
    settings: StorageSettings,
  ) {
    super(postgres, dialect, settings, formatOf(branchJson, shownColumns(true)));
  }

  async find(keys: readonly MethodKey[], scope: Scope): Promise<(ShippingMethodDto | undefined)[]> {
    const isById = keys.some((key) => 'id' in key);
    const sql = this.fixed(`find ${isById}`, () => {
      const by = isById ? byId : byCodes;
      const source = `json_to_recordset($1::json) AS k(place text, project_id text, id uuid, carrier_code text, method_code text)
        CROSS JOIN ${by(this.methods, 'k.project_id', 'k')}`;
      return `SELECT m.place, ${methodJson} AS json FROM (
         SELECT k.place, ${shownColumns(true)} FROM ${withDefaults(this.methods, source)}
         WHERE m.id = COALESCE(k.id, m.id)
       ) AS m`;
    });
    const sent = JSON.stringify(keys.map((key, place) => ({ ...key, place })));
    const values = [sent, this.settings.defaultsProjectId];
    const rows = await this.postgres.send<{ place: string; json: string }>(scope, { sql, values });
    const found = new Map(rows.map(({ place, json }) => [place, json]));
    return keys.map((_key, place) => parsed(found.get(String(place))));
  }

  async insert(methods: readonly NewMethod[], scope: Scope): Promise<Inserted[]> {
    const inserted = await this.insertAll(methods, scope);
    if (scope === 'shared' || !inserted.includes('lost')) return inserted;
    // The project has no row yet.
    await this.postgres.send(scope, {
      sql: `INSERT INTO ${this.projects} (project_id, revision, methods, followers) VALUES ($1, gen_random_uuid(), 0, 0) ON CONFLICT DO NOTHING`,
      values: [methods[0]?.project_id],
      writes: true,
    });
    return this.insertAll(methods, scope);
  }

  /** Leaves out a project that has no row or, in the scope `shared`, whose row is locked. */
  private async insertAll(methods: readonly NewMethod[], scope: Scope): Promise<Inserted[]> {
    const sql = this.fixed(`insert ${scope === 'shared'}`, () => {
      const columns = ['project_id', 'id', ...setColumns].join(', ');
      // The place in the batch stands for the number in the project. So near the bound, some are tried again alone.
      const fits = 'p.methods + s.place <= $3::integer';
      return `WITH ${this.sent(scope)}, ${this.lock(sentProjects, scope)}, changed AS (
         INSERT INTO ${this.methods} (${columns}, version, created_at, updated_at)
         SELECT ${columns}, 1, now.at, now.at
         FROM sent AS s JOIN project AS p USING (project_id), (SELECT clock_timestamp() AS at) AS now WHERE ${fits}
         ON CONFLICT (project_id, carrier_code, method_code) DO NOTHING RETURNING *, use_default::integer AS follows
       ), ${this.bump(1)}
       SELECT s.id::text AS id, c.json,
         CASE WHEN p.methods >= $3::integer THEN 'full' WHEN ${fits} THEN 'taken' ELSE 'lost' END AS state
       FROM sent AS s JOIN project AS p USING (project_id) LEFT JOIN (${this.changed()}) AS c ON c.id = s.id::text`;
    });
    const values = [JSON.stringify(methods), this.settings.defaultsProjectId, this.settings.maxMethods];
    const rows = await this.postgres.send<{
      id: string;
      json: string | null;
      state: 'taken' | 'full' | 'lost';
    }>(scope, { sql, values, writes: true });
    const found = new Map(rows.map((row) => [row.id, parsed(row.json) ?? row.state]));
    return methods.map(({ id }) => found.get(id) ?? 'lost');
  }

  /**
   * With `NO KEY`, a transaction of the host's may add a row that refers to the method meanwhile. The condition on the
   * codes is there only so that the planner uses their index. The row of the defaults project is not locked: a default
   * that changes while the statement runs changes after it.
   */
  async replace(methods: readonly ChangedMethod[], scope: Scope): Promise<Replaced[]> {
    if (scope !== 'shared' && (await this.isTaken(methods[0], scope))) return ['taken'];
    const sql = this.fixed(`replace ${scope === 'shared'}`, () => {
      const values = setColumns.map((column) => `${column} = s.${column}`);
      return `WITH ${this.sent(scope)}, current AS (
         SELECT s.*, m.use_default::integer AS followed, m.carrier_code AS carrier, m.method_code AS method
         FROM ${this.projects} AS p JOIN sent AS s ON s.project_id = p.project_id
           JOIN ${this.methods} AS m ON m.project_id = s.project_id AND m.id = s.id AND m.version = s.version
         WHERE p.project_id = ANY(${sentProjects}) AND s.etag = ${this.etag()}
         ORDER BY p.project_id, m.id FOR NO KEY UPDATE OF p, m ${scope === 'shared' ? 'SKIP LOCKED' : ''}
       ), changed AS (
         UPDATE ${this.methods} AS m
         SET version = m.version + 1, updated_at = clock_timestamp(), ${values.join(', ')}
         FROM current AS s WHERE m.project_id = s.project_id AND m.id = s.id
           AND m.carrier_code = s.carrier AND m.method_code = s.method
         RETURNING m.*, m.use_default::integer - s.followed AS follows
       ), ${this.bump(0)} ${this.changed()}`;
    });
    try {
      const values = [JSON.stringify(methods), this.settings.defaultsProjectId];
      const rows = await this.postgres.send<{ id: string; json: string }>(scope, {
        sql,
        values,
        writes: true,
      });
      const found = new Map(rows.map((row) => [row.id, parsed(row.json)]));
      return methods.map(({ id }) => found.get(id) ?? 'lost');
    } catch (error) {
      // In the scope `alone` there is no lock between two statements.
      if (isUniqueViolation(error, 'uq_shipping_method_codes')) return ['taken'];
      throw isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
    }
  }

  async delete(
    current: ShippingMethodDto,
    etags: readonly string[] | undefined,
    scope: Exclude<Scope, 'shared'>,
  ): Promise<ShippingMethodDto | 'lost'> {
    const sql = this.fixed(
      'delete',
      () => `WITH ${this.lock('$1::text[]', scope)}, changed AS (
           DELETE FROM ${this.methods} AS m USING project
           WHERE m.project_id = project.project_id AND m.id = $3::uuid
             AND ($4::text[] IS NULL OR concat('"', m.version, '"') = ANY($4::text[])
               OR ${this.etag()} = ANY($4::text[]))
           RETURNING m.*, -m.use_default::integer AS follows
         ), ${this.bump(-1)} ${this.changed()}`,
    );
    try {
      const values = [[current.project_id], this.settings.defaultsProjectId, current.id, etags];
      const [row] = await this.postgres.send<{ json: string }>(scope, { sql, values, writes: true });
      return parsed(row?.json) ?? 'lost';
    } catch (error) {
      throw isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
    }
  }

  protected async readAs(
    inherits: boolean,
    projectId: string,
    scope: Scope,
    query?: CheckedListQuery,
  ): Promise<HeadedRead> {
    const { all: values, bind } = dialect.values();
    const project = bind(projectId, 'code');
    const defaults = bind(this.settings.defaultsProjectId, 'code');
    const from = inherits ? withDefaults(this.methods) : `${this.methods} AS m`;
    const conditions = query ? conditionsOf(query, inherits, dialect, bind) : [];
    const matching = `FROM ${from} WHERE ${[`m.project_id = ${project}`, ...conditions].join(' AND ')}`;
    const isFiltered = conditions.length > 0;
    const text = query ? pageText(matching, inherits, query, bind) : treeText(matching, inherits);
    const total = isFiltered ? `(SELECT count(*)::integer ${matching})` : 'COALESCE(p.methods, 0)';
    const [row] = await this.postgres.send<Record<keyof Read | 'followers', string>>(scope, {
      sql: `WITH head AS (
         SELECT ${this.revision} AS revision, COALESCE(p.followers, 0) AS followers, ${total} AS total
         FROM (SELECT) AS one LEFT JOIN ${this.projects} AS p ON p.project_id = ${project}
           LEFT JOIN ${this.projects} AS d ON d.project_id = ${defaults}
       ) SELECT revision, followers::text, total::text, COALESCE((${text}), '') AS text FROM head`,
      values,
      isOneOff: isFiltered,
    });
    if (!row) throw new Error('A project was read without its head.');
    const { followers, ...read } = row;
    return { ...read, total: Number(read.total), inherits: followers !== '0' };
  }

  /** Whether another method has the codes. In a transaction, the lock keeps it true until its end. */
  private async isTaken(method: ChangedMethod | undefined, scope: Scope): Promise<boolean> {
    if (!method?.changesCodes) return false;
    if (scope instanceof JoinedTransaction)
      await this.postgres.send(scope, {
        sql: `WITH ${this.lock('$1::text[]', scope)} SELECT FROM project`,
        values: [[method.project_id]],
        writes: true,
      });
    const { project_id, carrier_code, method_code } = method;
    const [holder] = await this.find([{ project_id, carrier_code, method_code }], scope);
    return holder !== undefined && holder.id !== method.id;
  }

  /** A CTE that locks the rows of projects. It comes first in every write, so that no two writes wait for each other. */
  private lock(projectIds: string, scope: Scope): string {
    const skip = scope === 'shared' ? 'SKIP LOCKED' : '';
    return `project AS (
      SELECT project_id, methods FROM ${this.projects} WHERE project_id = ANY(${projectIds})
      ORDER BY project_id FOR UPDATE ${skip}
    )`;
  }

  /** A CTE of the methods as they are to be stored, from the JSON `$1`. */
  private sent(scope: Scope): string {
    return `sent AS (
         SELECT m.*, one.value ->> 'etag' AS etag, one.place
         FROM json_array_elements($1::json) WITH ORDINALITY AS one(value, place),
           json_populate_record(NULL::${this.methods}, one.value) AS m ${scope === 'shared' ? `, ${impatience}` : ''}
       )`;
  }

  /**
   * A CTE that gives each project of the CTE `changed` a new revision and its new counts. The rows are locked already.
   * The column `follows` of `changed` is 1 for a row that adds a method with `use_default`, −1 for one that removes it.
   * @param methods the same for methods of any kind
   */
  private bump(methods: -1 | 0 | 1): string {
    return `bumped AS (
    UPDATE ${this.projects} AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, ${methods} * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  )`;
  }

  /** What the rows of the CTE `changed` show. */
  private changed(): string {
    const from = withDefaults(this.methods, 'changed');
    return `SELECT m.id::text AS id, ${methodJson} AS json FROM (SELECT ${shownColumns(true)} FROM ${from}) AS m`;
  }

  /** The entity-tag of the method `m`, as the statement sees it and its default. */
  private etag(): string {
    const from = withDefaults(this.methods, '(SELECT m.*)');
    return `(SELECT ${methodEtag} FROM (SELECT ${shownColumns(true)} FROM ${from}) AS m)`;
  }

  /** The text of a statement that is always the same, made once; again if the DataSource has other tables now. */
  private fixed(name: string, make: () => string): string {
    const key = `${name} ${this.methods}`;
    const text = this.texts.get(key) ?? make();
    this.texts.set(key, text);
    return text;
  }
}

/** @param matching `FROM … WHERE …` */
function pageText(
  matching: string,
  inherits: boolean,
  { page, perPage }: CheckedListQuery,
  bind: Bind,
): string {
  // The JSON is made outside of the limit: inside, PostgreSQL would make it for skipped rows too.
  return `SELECT string_agg(${methodJson}, ',' ORDER BY ${listOrder.join(', ')}) FROM (
      SELECT ${shownColumns(inherits)} ${matching} ORDER BY ${shownOrder(inherits)}
      LIMIT ${bind(perPage, 'integer')} OFFSET ${bind((page - 1) * perPage, 'integer')}
    ) AS m`;
}

function treeText(matching: string, inherits: boolean): string {
  return `SELECT string_agg(text, ',' ORDER BY sort_order, carrier_code) FROM (
      SELECT carrier_code, min(sort_order) AS sort_order, ${branchJson} AS text
      FROM (SELECT ${shownColumns(inherits)} ${matching}) AS m GROUP BY carrier_code
    ) AS branch`;
}

function parsed(json: string | null | undefined): ShippingMethodDto | undefined {
  return json ? (JSON.parse(json) as ShippingMethodDto) : undefined;
}
