import { randomUUID } from 'node:crypto';
import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import { type CheckedListQuery } from '../../shipping-methods/list-query.check.js';
import { fieldOf, settableFields } from '../../shipping-methods/method-fields.js';
import { MethodInUseError } from '../../shipping-methods/shipping-methods.errors.js';
import { type Row, type Script, type Scripts } from '../scripts.js';
import {
  type ChangedMethod,
  type Inserted,
  type MethodKey,
  type NewMethod,
  type Replaced,
  type StorageSettings,
} from '../shipping-storage.js';
import { type Bind, conditionsOf, shown, shownOrder, type ValueKind } from '../shown.js';
import { type HeadedRead, SqlMethods } from '../sql-methods.js';
import { JoinedTransaction, type Scope } from '../transactions.js';
import { formatOf, inheritance, methodJson } from '../wire-json.js';
import { columnValue, padded, type RowDialect } from './row-dialect.js';
import { branchColumns, branchForm, treeJson } from './row-tree.js';

/** MariaDB ignores the order of a part of a UNION that has no limit. */
const noLimit = '2147483647';

const keyColumns = {
  id: ['project_id', 'id'],
  codes: ['project_id', 'carrier_code', 'method_code'],
} as const;

/** What a client sets, and the text for searching. */
const settable = [
  ...settableFields.map((name) => ({ name, kind: fieldOf(name).kind as ValueKind })),
  { name: 'search_text', kind: 'label' },
] as const;

/** What counts in a project's row. */
type Counted = Pick<ShippingMethodDto, 'project_id' | 'use_default'>;

/**
 * The methods of an engine whose statements write one table each. Every write is a transaction that locks the row of the
 * project before it reads anything.
 */
export class RowMethods extends SqlMethods {
  private readonly json: ReturnType<typeof methodForms>;

  constructor(
    private readonly scripts: Scripts,
    protected override readonly dialect: RowDialect,
    settings: StorageSettings,
  ) {
    const json = methodForms(dialect);
    super(scripts, dialect, settings, formatOf(json.inherited, branchForm));
    this.json = json;
  }

  find(
    keys: readonly MethodKey[],
    scope: Scope,
    isForChange = false,
  ): Promise<(ShippingMethodDto | undefined)[]> {
    return isForChange && scope instanceof JoinedTransaction
      ? this.scripts.write(scope, () => this.foundForChange(keys, scope))
      : this.scripts.run(scope, () => this.found(keys));
  }

  insert(methods: readonly NewMethod[], scope: Scope): Promise<Inserted[]> {
    return this.scripts.write(scope, () => this.inserted(methods, scope));
  }

  replace(methods: readonly ChangedMethod[], scope: Scope): Promise<Replaced[]> {
    return this.scripts.write(scope, () => this.replaced(methods, scope));
  }

  delete(
    current: ShippingMethodDto,
    etags: readonly string[] | undefined,
    scope: Exclude<Scope, 'shared'>,
  ): Promise<ShippingMethodDto | 'lost'> {
    return this.scripts.write(scope, () => this.deleted(current, etags, scope));
  }

  private *found(keys: readonly MethodKey[], end = ''): Script<(ShippingMethodDto | undefined)[]> {
    const by = keys.some((key) => 'id' in key) ? 'id' : 'codes';
    const methods = yield* this.shown(by, keys, end);
    const found = new Map(methods.map((method) => [nameOf(method, keyColumns[by]), method]));
    return keys.map((key) => found.get(nameOf(key, keyColumns[by])));
  }

  /** The snapshot of the caller's transaction may be older than what is committed, so the rows are locked. */
  private *foundForChange(
    keys: readonly MethodKey[],
    scope: JoinedTransaction,
  ): Script<(ShippingMethodDto | undefined)[]> {
    yield* this.locked(keys, scope);
    return yield* this.found(keys, this.dialect.newest);
  }

  private *inserted(methods: readonly NewMethod[], scope: Scope): Script<Inserted[]> {
    if (scope !== 'shared') yield* this.withProject(methods[0]?.project_id ?? '');
    const outcomes = new Map<string, Inserted>();
    const fitting: NewMethod[] = [];
    for (const [project, held] of yield* this.locked(methods, scope)) {
      const room = Math.max(this.settings.maxMethods - held, 0);
      const own = methods.filter(({ project_id }) => project_id === project);
      const fits = own.slice(0, room);
      fitting.push(...fits);
      for (const { id } of room > 0 ? fits : own) outcomes.set(id, room > 0 ? 'taken' : 'full');
    }
    const added = yield* this.added(fitting);
    for (const method of added) outcomes.set(method.id, method);
    yield* this.bump([], added);
    return methods.map(({ id }) => outcomes.get(id) ?? 'lost');
  }

  /** Inserts the methods whose codes are free. @returns what these show */
  private *added(methods: readonly NewMethod[]): Script<ShippingMethodDto[]> {
    if (methods.length === 0) return [];
    try {
      const added = yield* this.insertion(methods);
      // Only another statement tells what a default says.
      const isWhole = added.length > 0 && !added.some(({ use_default }) => use_default);
      return isWhole ? added : yield* this.shown('id', methods);
    } catch (error) {
      if (!this.isTaken(error)) throw error;
    }
    if (methods.length === 1) return [];
    // Only the statement was undone. It is tried again in halves, until the taken codes are alone.
    const half = Math.ceil(methods.length / 2);
    return [...(yield* this.added(methods.slice(0, half))), ...(yield* this.added(methods.slice(half)))];
  }

  private *replaced(methods: readonly ChangedMethod[], scope: Scope): Script<Replaced[]> {
    const projects = yield* this.locked(methods, scope);
    const open = methods.filter(({ project_id }) => projects.has(project_id));
    const inheriting = open.filter(({ usedDefault }) => usedDefault);
    const now = yield* this.shown('id', inheriting, this.newest(scope));
    const etags = new Map(now.map(({ id, etag }) => [id, etag]));
    // The version tells the rest.
    const matching = open.filter(({ id, etag, usedDefault }) => !usedDefault || etags.get(id) === etag);
    const outcome = yield* this.changed(matching);
    const changed = outcome === 'done' ? matching : [];
    const stored = yield* this.shown('id', changed);
    const before = changed.map(({ project_id, usedDefault }) => ({ project_id, use_default: usedDefault }));
    yield* this.bump(before, stored);
    const found = new Map(stored.map((method) => [method.id, method]));
    const isTaken = ({ id }: ChangedMethod): boolean => outcome === 'taken' && matching[0]?.id === id;
    return methods.map((method) => found.get(method.id) ?? (isTaken(method) ? 'taken' : 'lost'));
  }

  /** @param methods one, or some that keep their codes */
  private *changed(methods: readonly ChangedMethod[]): Script<'done' | 'taken' | 'lost'> {
    const [method] = methods;
    if (!method) return 'lost';
    const { all: values, bind } = this.dialect.values();
    const set = settable.map(({ name, kind }) => {
      const value = caseOf('m.id', new Map(methods.map((each) => [each.id, each[name]])), kind, bind);
      return `${name} = ${value}`;
    });
    const sql = `UPDATE ${this.methods} AS m ${this.dialect.byKey} SET ${set.join(', ')}, version = version + 1,
      updated_at = ${this.dialect.now} WHERE ${anyKey([...keyColumns.id, 'version'], methods, bind)}`;
    try {
      const { affected } = yield { sql, values, writes: true };
      // Another writer was faster with one of them. Each is tried alone.
      if (affected > 0 && affected < methods.length)
        throw new Error('Of some changes, only a part was stored.');
      return affected > 0 ? 'done' : 'lost';
    } catch (error) {
      if (this.isTaken(error)) return 'taken';
      if (!this.scripts.isForeignKeyViolation(error)) throw error;
      // A server may look at foreign keys first.
      const [holder] = yield* this.shown('codes', [method], this.dialect.newest);
      if (holder && holder.id !== method.id) return 'taken';
      throw new MethodInUseError(error);
    }
  }

  private *deleted(
    { project_id, id }: ShippingMethodDto,
    etags: readonly string[] | undefined,
    scope: Scope,
  ): Script<ShippingMethodDto | 'lost'> {
    yield* this.locked([{ project_id }], scope);
    const [method] = yield* this.shown('id', [{ project_id, id }], this.newest(scope));
    if (!method) return 'lost';
    const { etag, version } = method;
    if (etags && !etags.includes(etag) && !etags.includes(`"${version}"`)) return 'lost';
    const { all: values, bind } = this.dialect.values();
    const where = [...keyColumns.id, 'version'].map((name) => keyIs(name, method, bind)).join(' AND ');
    try {
      const { affected } = yield { sql: `DELETE FROM ${this.methods} WHERE ${where}`, values, writes: true };
      if (affected === 0) return 'lost';
    } catch (error) {
      throw this.scripts.isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
    }
    yield* this.bump([method], []);
    return method;
  }

  /**
   * Locks the rows of projects. It comes first in every write, so that no two writes wait for each other.
   * @returns the number of methods of each project that is locked now
   */
  private *locked(those: readonly { project_id: string }[], scope: Scope): Script<Map<string, number>> {
    const ids = [...new Set(those.map(({ project_id }) => project_id))];
    const { all: values, bind } = this.dialect.values();
    const { rows } = yield {
      sql: `SELECT project_id, methods FROM ${this.projects} ${this.dialect.byKey} WHERE ${this.dialect.anyOf('project_id', ids, 'code', bind)}
        ORDER BY project_id ${this.dialect.lock(scope)}`,
      values,
    };
    return new Map(rows.map(({ project_id, methods }) => [String(project_id), Number(methods)]));
  }

  /**
   * Gives the projects of methods a new revision and their new counts. Their rows are locked already.
   * @param before what counted, and `after` what counts now: a trigger of the host's may have changed what was sent
   */
  private *bump(before: readonly Counted[], after: readonly Counted[]): Script<void> {
    const ids = [...new Set([...before, ...after].map(({ project_id }) => project_id))];
    if (ids.length === 0) return;
    const grown = (counts: (method: Counted) => boolean): Map<string, number> => {
      const among = (methods: readonly Counted[], id: string): number =>
        methods.filter((method) => method.project_id === id && counts(method)).length;
      return new Map(ids.map((id) => [id, among(after, id) - among(before, id)]));
    };
    const methods = grown(() => true);
    const followers = grown(({ use_default }) => use_default);
    const { all: values, bind } = this.dialect.values();
    const sql = `UPDATE ${this.projects} ${this.dialect.byKey} SET revision = ${bind(randomUUID(), 'id')},
      methods = methods + ${caseOf('project_id', methods, 'integer', bind)},
      followers = followers + ${caseOf('project_id', followers, 'integer', bind)}
      WHERE ${this.dialect.anyOf('project_id', ids, 'code', bind)}`;
    yield { sql, values, writes: true };
  }

  /** What methods show now. @param end `newest` of the dialect, or nothing */
  private *shown(
    by: keyof typeof keyColumns,
    keys: readonly object[],
    end = '',
  ): Script<ShippingMethodDto[]> {
    if (keys.length === 0) return [];
    const { all: values, bind } = this.dialect.values();
    const from = this.withDefaults(bind, by === 'id' ? this.dialect.byKey : '');
    const sql = `SELECT ${this.json.inherited} AS json FROM ${from} WHERE ${anyKey(keyColumns[by], keys, bind)} ${end}`;
    const { rows } = yield { sql, values };
    return rows.map(parsed);
  }

  /** Adds the row of a project if there is none. */
  private *withProject(projectId: string): Script<void> {
    const { all: values, bind } = this.dialect.values();
    const row = `(${bind(projectId, 'code')}, ${bind(randomUUID(), 'id')}, 0, 0)`;
    const sql = `INSERT INTO ${this.projects} (project_id, revision, methods, followers) VALUES ${row} ${this.dialect.ifThere}`;
    yield { sql, values, writes: true };
  }

  /** @returns what the engine gives back of the methods: the JSON that they have without defaults, or nothing */
  private *insertion(methods: readonly NewMethod[]): Script<ShippingMethodDto[]> {
    const { all: values, bind } = this.dialect.values();
    const { now, returnsStored } = this.dialect;
    const columns = [{ name: 'project_id', kind: 'code' }, { name: 'id', kind: 'id' }, ...settable] as const;
    const valuesOf = (method: NewMethod): string =>
      columns.map(({ name, kind }) => bind(method[name], kind)).join(', ');
    const { rows } = yield {
      sql: `INSERT INTO ${this.methods} (${columns.map(({ name }) => name).join(', ')}, version, created_at, updated_at)
        VALUES ${methods.map((method) => `(${valuesOf(method)}, 1, ${now}, ${now})`).join(', ')}
        ${returnsStored ? `RETURNING ${this.json.inserted} AS json` : ''}`,
      values,
      // Each number of methods has a text of its own.
      isOneOff: methods.length > 8,
      writes: true,
    };
    return rows.map(parsed);
  }

  /** At one moment: a row of the project, then those of its methods. @param query undefined: the tree */
  protected async readAs(
    inherits: boolean,
    projectId: string,
    scope: Scope,
    query?: CheckedListQuery,
  ): Promise<HeadedRead> {
    const { all: values, bind } = this.dialect.values();
    const matching = (): string => {
      const from = inherits ? this.withDefaults(bind) : `${this.methods} AS m`;
      const ofProject = `m.project_id = ${bind(projectId, 'code')}`;
      const conditions = query ? conditionsOf(query, inherits, this.dialect, bind) : [];
      return `FROM ${from} WHERE ${[ofProject, ...conditions].join(' AND ')}`;
    };
    const isFiltered = query !== undefined && query.words.length + query.groups.length > 0;
    const total = isFiltered ? `(SELECT count(*) ${matching()})` : 'COALESCE(p.methods, 0)';
    const columns = query ? [] : branchColumns;
    const none = columns.map((name) => `, NULL AS ${name}`).join('');
    const head = `SELECT ${this.revision} AS revision, p.followers AS followers, ${total} AS total,
        NULL AS json${none}
      FROM (SELECT 1 AS one) AS o LEFT JOIN ${this.projects} AS p ON p.project_id = ${bind(projectId, 'code')}
        LEFT JOIN ${this.projects} AS d ON d.project_id = ${bind(this.settings.defaultsProjectId, 'code')}`;
    const more = columns.map((name) => `, ${shown(name, inherits)} AS ${name}`).join('');
    const body = `SELECT NULL AS revision, NULL AS followers, NULL AS total,
        ${inherits ? this.json.inherited : this.json.own} AS json${more}
      ${matching()} ORDER BY ${shownOrder(inherits)} LIMIT ? OFFSET ?`;
    const { page, perPage } = query ?? { page: 1, perPage: noLimit };
    // As texts: mysql2 sends a number as a DOUBLE, which MySQL refuses here.
    values.push(String(perPage), String((page - 1) * Number(perPage)));
    const sql = `${head} UNION ALL ${this.dialect.part(body)}`;
    const [first = {}, ...rows] = await this.scripts.send(scope, { sql, values, isOneOff: isFiltered });
    return {
      revision: String(first['revision']),
      inherits: Number(first['followers']) > 0,
      total: Number(first['total']),
      text: query ? rows.map(({ json }) => json).join(',') : treeJson(rows),
    };
  }

  private withDefaults(bind: Bind, hint = ''): string {
    const defaults = (): string => bind(this.settings.defaultsProjectId, 'code');
    return `${this.methods} AS m ${hint} LEFT JOIN ${this.methods} AS d ON m.use_default
      AND m.project_id <> ${defaults()} AND d.project_id = ${defaults()}
      AND d.carrier_code = m.carrier_code AND d.method_code = m.method_code`;
  }

  private newest(scope: Scope): string {
    return scope instanceof JoinedTransaction ? this.dialect.newest : '';
  }

  private isTaken(error: unknown): boolean {
    return this.scripts.isDuplicate(error, 'uq_shipping_method_codes', 'method_code');
  }
}

/** The JSON of a method `m`: without a default, with its default `d`, and as an INSERT gives it back. */
function methodForms(dialect: RowDialect) {
  const projectId = 'm.project_id';
  const none = { inherited: `'[]'`, own: `'{}'` };
  const withDefault = { ...inheritance(dialect), defaultId: 'd.id', defaultVersion: 'd.version' };
  return {
    own: methodJson(dialect, { projectId, of: (name) => `m.${name}`, ...none }),
    inherited: methodJson(dialect, { projectId, of: (name) => shown(name, true), ...withDefault }),
    inserted: methodJson(dialect, { projectId: 'project_id', of: (name) => name, ...none }),
  };
}

function parsed(row: Row): ShippingMethodDto {
  return JSON.parse(String(row['json'])) as ShippingMethodDto;
}

/** The value for the row that has one of these keys. The keys of one statement are all different. */
function caseOf(column: string, values: ReadonlyMap<string, unknown>, kind: ValueKind, bind: Bind): string {
  const [only, ...others] = values;
  if (only && others.length === 0) return bind(only[1], kind);
  const cases = padded([...values]).map(
    ([key, value]) => `WHEN ${bind(key, 'code')} THEN ${bind(value, kind)}`,
  );
  return `CASE ${column} ${cases.join(' ')} END`;
}

const kindOf = (name: string): ValueKind => (name === 'id' ? 'id' : 'code');

function keyIs(name: string, key: object, bind: Bind): string {
  return `${name} = ${bind(Reflect.get(key, name), kindOf(name))}`;
}

/** A condition on methods `m`. */
function anyKey(columns: readonly string[], keys: readonly object[], bind: Bind): string {
  const any = padded(keys).map(
    (key) => `(${columns.map((name) => `m.${keyIs(name, key, bind)}`).join(' AND ')})`,
  );
  return `(${any.join(' OR ')})`;
}

/** One name for all that have the same values in these columns. No identifier or code has a line break. */
function nameOf(key: object, columns: readonly string[]): string {
  return columns.map((name) => columnValue(Reflect.get(key, name), kindOf(name))).join('\n');
}
