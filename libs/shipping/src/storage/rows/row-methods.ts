import { randomUUID } from 'node:crypto';
import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import { type CheckedListQuery } from '../../shipping-methods/list-query.check.js';
import {
  type FieldName,
  fieldNames,
  fieldOf,
  inheritedFields,
  settableFields,
} from '../../shipping-methods/method-fields.js';
import { ShippingMethod } from '../../shipping-methods/shipping-method.entity.js';
import { MethodInUseError } from '../../shipping-methods/shipping-methods.errors.js';
import { ShippingProject } from '../../shipping-methods/shipping-project.entity.js';
import {
  type ChangedMethod,
  type Inserted,
  type MethodKey,
  MethodStore,
  type NewMethod,
  type Read,
  type Replaced,
  type StorageSettings,
} from '../shipping-storage.js';
import { conditionsOf, type Dialect, shownOrder } from '../shown.js';
import { JoinedTransaction, type Scope } from '../transactions.js';
import { columnValue, lists, padded, type RowDialect, Values } from './row-dialect.js';
import { etagOf, format, methodJson, methodOf, treeJson } from './row-json.js';
import { type Row, type Script, type Scripts, type Statement } from './scripts.js';

/** The revision of a project without a row. */
const neverWritten = format;

/** What the first row of a read tells of the project. */
const headNames = ['revision', 'defaults', 'followers', 'total'];

/** MariaDB ignores the order of a part of a UNION that has no limit. */
const noLimit = 'LIMIT 2147483647';

const idColumns = ['project_id', 'id'];
const codeColumns = ['project_id', 'carrier_code', 'method_code'];

interface Query {
  /** `FROM … WHERE … ORDER BY … LIMIT …` */
  rows: string;
  /** SQL of the total, where that is not the number of all methods. */
  total?: string;
  jsonOf: (rows: readonly Row[]) => string;
}

/**
 * The methods of an engine whose statements write one table each, with the JSON made here. Every write is a transaction
 * that locks the row of the project before it reads anything.
 */
export class RowMethods extends MethodStore {
  private readonly conditions: Dialect;

  constructor(
    private readonly scripts: Scripts,
    private readonly dialect: RowDialect,
    private readonly settings: StorageSettings,
  ) {
    super();
    this.conditions = { ...dialect, ...lists };
  }

  find(
    keys: readonly MethodKey[],
    scope: Scope,
    isForChange = false,
  ): Promise<(ShippingMethodDto | undefined)[]> {
    return isForChange && scope instanceof JoinedTransaction
      ? this.scripts.write(scope, () => this.foundForChange(keys, scope))
      : this.scripts.read(scope, () => this.found(keys));
  }

  page(projectId: string, query: CheckedListQuery, scope: Scope): Promise<Read> {
    const { page, perPage, words, groups } = query;
    return this.read(projectId, scope, (inherits, head, body) => {
      const matching = (values: Values): string => {
        const all = this.methodsOf(projectId, inherits, values);
        return [all, ...conditionsOf(query, inherits, this.conditions, values.bind)].join(' AND ');
      };
      const listed = `${matching(body)} ORDER BY ${shownOrder(inherits)} LIMIT ? OFFSET ?`;
      // As texts: mysql2 sends a number as a DOUBLE, which MySQL refuses here.
      body.all.push(String(perPage), String((page - 1) * perPage));
      return {
        rows: listed,
        ...(words.length + groups.length > 0 && { total: `(SELECT count(*) ${matching(head)})` }),
        jsonOf: (rows) => rows.map(methodJson).join(','),
      };
    });
  }

  tree(projectId: string, scope: Scope): Promise<Read> {
    return this.read(projectId, scope, (inherits, _head, body) => ({
      rows: `${this.methodsOf(projectId, inherits, body)} ORDER BY ${shownOrder(inherits)} ${noLimit}`,
      jsonOf: treeJson,
    }));
  }

  async revisions(projectIds: readonly string[], scope: Scope): Promise<string[]> {
    const ids = padded([...new Set(projectIds)]);
    const rows = await this.scripts.read(scope, () =>
      rowsOf({
        sql: `SELECT p.project_id, p.revision, p.followers, d.revision AS defaults
          FROM ${this.projects} AS p LEFT JOIN ${this.projects} AS d ON d.project_id = ?
          WHERE p.project_id IN (${ids.map(() => '?').join(', ')})`,
        values: [this.settings.defaultsProjectId, ...ids],
      }),
    );
    const found = new Map(rows.map((row) => [row['project_id'], revisionOf(row)]));
    return projectIds.map((id) => found.get(id) ?? neverWritten);
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
    const columns = keys.some((key) => 'id' in key) ? idColumns : codeColumns;
    const rows = yield* this.shown(columns, keys, end);
    const found = new Map(rows.map((row) => [nameOf(row, columns), methodOf(row)]));
    return keys.map((key) => found.get(nameOf(key, columns)));
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
    if (scope !== 'shared') yield this.projectInsertion(methods[0]?.project_id ?? '');
    const outcomes = new Map<unknown, Inserted>();
    const fitting: NewMethod[] = [];
    for (const [project, held] of yield* this.locked(methods, scope)) {
      const room = this.settings.maxMethods - held;
      const own = methods.filter(({ project_id }) => project_id === project);
      fitting.push(...own.slice(0, Math.max(room, 0)));
      for (const { id } of own) if (room <= 0) outcomes.set(id, 'full');
    }
    for (const { id } of fitting) outcomes.set(id, 'taken');
    const rows = yield* this.added(fitting);
    for (const row of rows) outcomes.set(row['id'], methodOf(row));
    yield* this.bump(rows, (own) => ({ methods: own.length, followers: followersAmong(own) }));
    return methods.map(({ id }) => outcomes.get(id) ?? 'lost');
  }

  /** Inserts the methods whose codes are free. @returns what these show */
  private *added(methods: readonly NewMethod[]): Script<readonly Row[]> {
    if (methods.length === 0) return [];
    try {
      const { rows } = yield this.insertion(methods);
      // Only another statement tells what a default says.
      return rows.length > 0 && followersAmong(rows) === 0 ? rows : yield* this.shown(idColumns, methods);
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
    const open = yield* this.unlocked(
      methods.filter(({ project_id }) => projects.has(project_id)),
      scope,
    );
    const current = new Map(
      (yield* this.shown(idColumns, open, this.newest(scope))).map((row) => [row['id'], row]),
    );
    const outcomes = new Map<unknown, Replaced>();
    const matching = open.filter((method) => {
      const row = current.get(method.id);
      return row && etagOf(row) === method.etag;
    });
    const outcome = yield* this.changed(matching);
    if (outcome === 'taken') for (const { id } of matching) outcomes.set(id, outcome);
    const rows = yield* this.shown(idColumns, outcome === 'done' ? matching : []);
    for (const row of rows) outcomes.set(row['id'], methodOf(row));
    yield* this.bump(rows, (own) => {
      const before = own.map(({ id }) => current.get(id) ?? {});
      return { methods: 0, followers: followersAmong(own) - followersAmong(before) };
    });
    return methods.map(({ id }) => outcomes.get(id) ?? 'lost');
  }

  /** @param methods one, or some that keep their codes */
  private *changed(methods: readonly ChangedMethod[]): Script<'done' | 'taken' | 'lost'> {
    const [method] = methods;
    if (!method) return 'lost';
    const values = new Values();
    const set = settable.map(({ name, valueOf }) => `${name} = ${newValue(methods, valueOf, values)}`);
    const where = anyKey([...idColumns, 'version'], methods, values);
    try {
      const { affected } = yield {
        sql: `UPDATE ${this.methods} AS m ${this.dialect.byId} SET ${set.join(', ')}, version = version + 1, updated_at = ${this.dialect.now} WHERE ${where}`,
        values: values.all,
      };
      if (affected === methods.length) return 'done';
      // Their rows are locked, so this is a trigger of the host's. Each is tried alone.
      if (affected > 0) throw new Error('Of some changed methods, only a part was stored.');
      return 'lost';
    } catch (error) {
      if (this.isTaken(error)) return 'taken';
      if (!this.scripts.isForeignKeyViolation(error)) throw error;
      // A server may look at foreign keys first.
      const [holder] = yield* this.shown(codeColumns, [method], this.dialect.newest);
      if (holder && holder['id'] !== method.id) return 'taken';
      throw new MethodInUseError(error);
    }
  }

  private *deleted(
    { project_id, id }: ShippingMethodDto,
    etags: readonly string[] | undefined,
    scope: Scope,
  ): Script<ShippingMethodDto | 'lost'> {
    yield* this.locked([{ project_id }], scope);
    const [row] = yield* this.shown(idColumns, [{ project_id, id }], this.newest(scope));
    if (!row) return 'lost';
    const matches = !etags || etags.includes(etagOf(row)) || etags.includes(`"${String(row['version'])}"`);
    if (!matches) return 'lost';
    try {
      const { affected } = yield {
        sql: `DELETE FROM ${this.methods} WHERE project_id = ? AND id = ? AND version = ?`,
        values: [project_id, id, row['version']],
      };
      if (affected === 0) return 'lost';
    } catch (error) {
      throw this.scripts.isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
    }
    yield* this.bump([row], () => ({ methods: -1, followers: -followersAmong([row]) }));
    return methodOf(row);
  }

  /**
   * Locks the rows of projects. It comes first in every write, so that no two writes wait for each other.
   * @returns the number of methods of each project that is locked now
   */
  private *locked(those: readonly { project_id: string }[], scope: Scope): Script<Map<string, number>> {
    const ids = padded([...new Set(those.map(({ project_id }) => project_id))].toSorted());
    const { rows } = yield {
      sql: `SELECT project_id, methods FROM ${this.projects} WHERE project_id IN (${ids.map(() => '?').join(', ')})
        ORDER BY project_id ${this.dialect.lock(scope)}`,
      values: ids,
    };
    return new Map(rows.map(({ project_id, methods }) => [String(project_id), Number(methods)]));
  }

  /** In the scope `shared`: the methods whose rows nobody has locked, for instance by a row that refers to them. */
  private *unlocked(methods: readonly ChangedMethod[], scope: Scope): Script<readonly ChangedMethod[]> {
    if (scope !== 'shared' || methods.length === 0 || this.dialect.lock(scope) === '') return methods;
    const values = new Values();
    const { rows } = yield {
      sql: `SELECT m.id FROM ${this.methods} AS m ${this.dialect.byId} WHERE ${anyKey(idColumns, methods, values)}
        ORDER BY m.project_id, m.id ${this.dialect.lock(scope)}`,
      values: values.all,
    };
    const free = new Set(rows.map(({ id }) => id));
    return methods.filter(({ id }) => free.has(id));
  }

  /**
   * Gives the projects of methods a new revision and their new counts. Their rows are locked already.
   * @param countsOf what is to be added for the methods of one project
   */
  private *bump(
    rows: readonly Row[],
    countsOf: (own: readonly Row[]) => { methods: number; followers: number },
  ): Script<void> {
    const alike = new Map<string, string[]>();
    for (const project of new Set(rows.map(({ project_id }) => String(project_id)))) {
      const counts = JSON.stringify(countsOf(rows.filter(({ project_id }) => project_id === project)));
      alike.set(counts, [...(alike.get(counts) ?? []), project]);
    }
    for (const [counts, projects] of alike) {
      const { methods, followers } = JSON.parse(counts) as ReturnType<typeof countsOf>;
      const ids = padded(projects);
      yield {
        sql: `UPDATE ${this.projects} SET revision = ?, methods = methods + ?, followers = followers + ?
          WHERE project_id IN (${ids.map(() => '?').join(', ')})`,
        values: [randomUUID(), methods, followers, ...ids],
      };
    }
  }

  /** What methods show now. @param end `newest` of the dialect, or nothing */
  private *shown(columns: readonly string[], keys: readonly object[], end = ''): Script<readonly Row[]> {
    if (keys.length === 0) return [];
    const values = new Values();
    const from = this.withDefaults(true, values, columns === idColumns ? this.dialect.byId : '');
    const { rows } = yield {
      sql: `SELECT ${this.columns(true)} FROM ${from} WHERE ${anyKey(columns, keys, values)} ${end}`,
      values: values.all,
    };
    return rows;
  }

  private projectInsertion(projectId: string): Statement {
    return {
      sql: `INSERT INTO ${this.projects} (project_id, revision, methods, followers) VALUES (?, ?, 0, 0) ${this.dialect.ifThere}`,
      values: [projectId, randomUUID()],
    };
  }

  private insertion(methods: readonly NewMethod[]): Statement {
    const names = settable.map(({ name }) => name).join(', ');
    const row = `(?, ?, 1, ${this.dialect.now}, ${this.dialect.now}, ${settable.map(() => '?').join(', ')})`;
    return {
      sql: `INSERT INTO ${this.methods} (project_id, id, version, created_at, updated_at, ${names})
        VALUES ${methods.map(() => row).join(', ')}${this.dialect.returns ? ` RETURNING ${this.columns(false, '')}` : ''}`,
      values: methods.flatMap((method) => [
        method.project_id,
        method.id,
        ...settable.map(({ valueOf }) => valueOf(method)),
      ]),
      isOneOff: methods.length > 1,
    };
  }

  /** Most projects have no method with `use_default` and are read by index, in order; the row says if this one has. */
  private async read(
    projectId: string,
    scope: Scope,
    query: (inherits: boolean, head: Values, body: Values) => Query,
  ): Promise<Read> {
    const readAs = (inherits: boolean): Promise<Read & { followers: number }> =>
      this.scripts.read(scope, () => this.readAs(inherits, projectId, query));
    const read = await readAs(false);
    return read.followers > 0 ? readAs(true) : read;
  }

  /** At one moment: a row of the project, then those of its methods. */
  private *readAs(
    inherits: boolean,
    projectId: string,
    query: (inherits: boolean, head: Values, body: Values) => Query,
  ): Script<Read & { followers: number }> {
    const [head, body] = [new Values(), new Values()];
    const { rows: select, total, jsonOf } = query(inherits, head, body);
    const headColumns = `p.revision AS revision, d.revision AS defaults, COALESCE(p.followers, 0) AS followers,
      ${total ?? 'COALESCE(p.methods, 0)'} AS total`;
    const from = `FROM (SELECT 1 AS one) AS o LEFT JOIN ${this.projects} AS p ON p.project_id = ${head.bindText(projectId)}
      LEFT JOIN ${this.projects} AS d ON d.project_id = ${head.bindText(this.settings.defaultsProjectId)}`;
    const isOneOff = total !== undefined;
    let found: readonly Row[];
    if (this.dialect.part) {
      const none = (names: readonly string[]): string => names.map((name) => `NULL AS ${name}`).join(', ');
      const part = this.dialect.part(`SELECT ${none(headNames)}, ${this.columns(inherits)} ${select}`);
      found = yield* rowsOf({
        sql: `SELECT ${headColumns}, ${none(rowNames(inherits))} ${from} UNION ALL ${part}`,
        values: [...head.all, ...body.all],
        isOneOff,
      });
    } else {
      found = [
        ...(yield* rowsOf({ sql: `SELECT ${headColumns} ${from}`, values: head.all, isOneOff })),
        ...(yield* rowsOf({ sql: `SELECT ${this.columns(inherits)} ${select}`, values: body.all, isOneOff })),
      ];
    }
    const [first = {}, ...rows] = found;
    return {
      revision: revisionOf(first),
      followers: Number(first['followers']),
      total: Number(first['total']),
      text: jsonOf(rows),
    };
  }

  /** `FROM … WHERE …` of all methods of a project. */
  private methodsOf(projectId: string, inherits: boolean, values: Values): string {
    return `FROM ${this.withDefaults(inherits, values)} WHERE m.project_id = ${values.bindText(projectId)}`;
  }

  private withDefaults(inherits: boolean, values: Values, hint = ''): string {
    if (!inherits) return `${this.methods} AS m`;
    const { defaultsProjectId } = this.settings;
    return `${this.methods} AS m ${hint} LEFT JOIN ${this.methods} AS d ON m.use_default
      AND m.project_id <> ${values.bindText(defaultsProjectId)} AND d.project_id = ${values.bindText(defaultsProjectId)}
      AND d.carrier_code = m.carrier_code AND d.method_code = m.method_code`;
  }

  private columns(inherits: boolean, m = 'm.'): string {
    const column = (alias: string, name: FieldName): string =>
      fieldOf(name).kind === 'time' ? this.dialect.timeText(`${alias}${name}`) : `${alias}${name}`;
    const own = fieldNames.map((name) => `${column(m, name)} AS ${name}`);
    const ofDefault = inheritedFields.map((name) => `${column('d.', name)} AS d_${name}`);
    const inherited = [...ofDefault, 'd.id AS default_id', 'd.version AS default_version'];
    return [`${m}project_id AS project_id`, ...own, ...(inherits ? inherited : [])].join(', ');
  }

  private newest(scope: Scope): string {
    return scope instanceof JoinedTransaction ? this.dialect.newest : '';
  }

  private isTaken(error: unknown): boolean {
    return this.scripts.isDuplicate(error, 'uq_shipping_method_codes', 'method_code');
  }

  private get methods(): string {
    return this.scripts.table(ShippingMethod);
  }

  private get projects(): string {
    return this.scripts.table(ShippingProject);
  }
}

/** What a client sets, and the text for searching. */
const settable = [
  ...settableFields.map((name) => ({
    name,
    valueOf: (method: NewMethod): unknown => columnValue(method[name], fieldOf(name).kind),
  })),
  { name: 'search_text', valueOf: ({ search_text }: NewMethod): unknown => search_text },
];

/** The columns of a row that shows a method, in order. */
function rowNames(inherits: boolean): string[] {
  const inherited = [...inheritedFields.map((name) => `d_${name}`), 'default_id', 'default_version'];
  return ['project_id', ...fieldNames, ...(inherits ? inherited : [])];
}

/** Counted as they are stored: a trigger of the host's may have decided otherwise. */
function followersAmong(rows: readonly Row[]): number {
  return rows.filter((row) => Number(row['use_default']) === 1).length;
}

/** The rows of one statement. */
function* rowsOf(statement: Statement): Script<readonly Row[]> {
  const { rows } = yield statement;
  return rows;
}

/** The new value of a column of `methods`. The ids of a batch are all different. */
function newValue(
  methods: readonly ChangedMethod[],
  valueOf: (method: NewMethod) => unknown,
  values: Values,
): string {
  const [method, ...others] = methods;
  if (method && others.length === 0) return values.take(valueOf(method));
  const cases = padded(methods).map(
    (each) => `WHEN ${values.take(each.id)} THEN ${values.take(valueOf(each))}`,
  );
  return `CASE m.id ${cases.join(' ')} END`;
}

/** A condition on methods `m`. */
function anyKey(columns: readonly string[], keys: readonly object[], values: Values): string {
  const any = padded(keys).map((key) => {
    const all = columns.map(
      (name) => `m.${name} = ${values.bind(Reflect.get(key, name), name === 'id' ? 'id' : 'code')}`,
    );
    return `(${all.join(' AND ')})`;
  });
  return `(${any.join(' OR ')})`;
}

/** One name for all that have the same values in these columns. No identifier or code has a line break. */
function nameOf(row: object, columns: readonly string[]): string {
  return columns.map((name) => columnValue(Reflect.get(row, name), name === 'id' ? 'id' : 'code')).join('\n');
}

/** As PostgreSQL's: that of the project and, while one of its methods has `use_default`, that of the defaults project. */
function revisionOf({ revision, followers, defaults }: Row): string {
  const parts = [format, revision, Number(followers) > 0 ? (defaults ?? 'none') : null];
  return parts.filter((part) => part !== null && part !== undefined).join('.');
}
