import { randomUUID } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { DatabaseUnavailableError } from '../../database/database.errors.js';
import { isDuplicate } from '../../database/connection-errors.js';
import { ifAbsent, isMysql, nowIn, selectExpression } from '../../database/engines/engine.js';
import { runCached } from '../../database/statement.js';
import { type StoredMethod } from '../effective-method.js';
import { type FieldName, fieldNames, fieldOf, settableFields } from '../method-fields.js';
import { type MethodSet, type Revisions } from '../method-view.js';
import { ShippingMethod } from '../shipping-method.table.js';
import { ShippingProject } from '../shipping-project.table.js';
import { type StoredValues } from '../stored-values.js';

// This file has all statements about methods. Columns have the names of the wire.

type Row = Record<FieldName | 'project_id' | 'revision', unknown>;

/** The values that an INSERT or an UPDATE gives a row. */
export interface NewRow {
  id: string;
  values: StoredValues;
}

/** An INSERT of 1,000 rows has 11,000 parameters. Every engine allows that. */
const maxRowsOfStatement = 1000;

/** The CASE of an UPDATE compares every row with every id, so its cost grows with the square of the rows. */
const maxRowsOfUpdate = 100;

/**
 * The largest size of the values of one statement, if it has more than one row. A driver that escapes values may send
 * twice as many bytes. MySQL and MariaDB refuse a statement that is longer than their `max_allowed_packet`, at least 4 MiB
 * by default.
 */
const maxBytesOfStatement = 1024 * 1024;

/**
 * @returns one entry for each project id, in the same order: the revision of the project and the revision of the defaults
 * project
 */
export async function revisionsOf(
  manager: EntityManager,
  projectIds: readonly string[],
  defaultsProjectId: string,
): Promise<Revisions[]> {
  const ids = [...new Set([...projectIds, defaultsProjectId])];
  const { records } = await runCached<{ id: string; revision: string }>(
    manager,
    ShippingProject,
    'revisions',
    { ids },
    () =>
      manager
        .createQueryBuilder(ShippingProject, 'p')
        .select(selectExpression(manager, 'p.project_id'), 'id')
        .addSelect(selectExpression(manager, 'p.revision'), 'revision')
        .where('p.project_id IN (:...ids)'),
  );
  const found = new Map(records.map(({ id, revision }) => [id, revision]));
  return projectIds.map((id) => ({ project: found.get(id), defaults: found.get(defaultsProjectId) }));
}

/** Reads projects with their methods in one statement, so that all of them come from the same moment. */
export async function setsOf(manager: EntityManager, projectIds: readonly string[]): Promise<MethodSet[]> {
  // PostgreSQL turns a list of one id into an equality, and does not send an equality for `m` to a shard: docs/scaling.md.
  const ids = projectIds.length === 1 ? [...projectIds, ...projectIds] : projectIds;
  const { records } = await runCached<Row>(manager, ShippingMethod, 'sets', { ids }, () => {
    const query = manager
      .createQueryBuilder(ShippingProject, 'p')
      .leftJoin(ShippingMethod, 'm', 'm.project_id = p.project_id')
      .select(selectExpression(manager, 'p.project_id'), 'project_id')
      .addSelect(selectExpression(manager, 'p.revision'), 'revision')
      .where('p.project_id IN (:...ids)');
    for (const name of fieldNames) query.addSelect(columnOf(manager, name, `m.${name}`), name);
    return query;
  });
  return projectIds.map((projectId) => {
    const rows = records.filter((row) => row.project_id === projectId);
    const methods = rows[0]?.id ? rows.map(storedMethod) : [];
    return { projectId, revision: rows[0] && String(rows[0].revision), methods };
  });
}

/**
 * Gives a project its next revision, which locks it until the end of the transaction.
 * @param expected the revision that it must have; undefined: it must have no row
 * @returns false when it has another revision; then nothing was written
 */
export async function claim(
  manager: EntityManager,
  projectId: string,
  expected: string | undefined,
  next: string,
): Promise<boolean> {
  // When an INSERT finds a row already, drivers report different counts. So the UPDATE tells whether the row is ours.
  const expectedRevision = expected ?? (await addProject(manager, projectId));
  const values = { projectId, expectedRevision, next };
  const { affected } = await runCached(manager, ShippingProject, 'claim', values, () =>
    nextRevision(manager).where('project_id = :projectId AND revision = :expectedRevision'),
  );
  return affected === 1;
}

/** Waits for the other writers of a project, and gives it its next revision. */
export async function lock(manager: EntityManager, projectId: string, next: string): Promise<void> {
  // The lock needs a row.
  await addProject(manager, projectId);
  const { affected } = await runCached(manager, ShippingProject, 'lock', { projectId, next }, () =>
    nextRevision(manager).where('project_id = :projectId'),
  );
  // Somebody deleted the row by hand.
  if (affected !== 1) throw lostRace();
}

function nextRevision(manager: EntityManager) {
  return manager
    .createQueryBuilder()
    .update(ShippingProject)
    .set({ revision: () => ':next' });
}

/**
 * Adds the row of a project, if there is none. On MySQL it also locks the row that it finds.
 * @returns the revision of the row that it adds
 */
export async function addProject(manager: EntityManager, projectId: string): Promise<string> {
  const revision = randomUUID();
  await runCached(manager, ShippingProject, 'project', { projectId, revision }, () => {
    const values = { projectId: () => ':projectId', revision: () => ':revision' };
    const insert = manager.createQueryBuilder().insert().into(ShippingProject).values(values);
    return ifAbsent(manager, insert, 'project_id');
  });
  return revision;
}

/** @returns the methods as they are stored, because a trigger of the host may have changed them */
export async function insertMethods(
  manager: EntityManager,
  projectId: string,
  rows: readonly NewRow[],
): Promise<StoredMethod[]> {
  const now = (): string => nowIn(manager);
  const inserted: StoredMethod[] = [];
  for (const part of statementsOf(rows)) {
    const values = part.map(({ id, values: columns }) => ({
      ...propertiesOf(manager, columns),
      projectId,
      id,
      version: 1,
      createdAt: now,
      updatedAt: now,
    }));
    const insert = manager
      .createQueryBuilder()
      .insert()
      .into(ShippingMethod)
      .values(values as object[]);
    const isReturning = manager.connection.driver.isReturningSqlSupported('insert');
    if (isReturning) insert.returning(returningColumns(manager));
    const { raw } = await insert.updateEntity(false).execute().catch(throwLostRace);
    const ids = part.map(({ id }) => id);
    inserted.push(
      ...(isReturning ? (raw as Row[]).map(storedMethod) : await storedMethods(manager, projectId, ids)),
    );
  }
  return inserted;
}

/** Divides rows among statements, each with at least one row. */
function* statementsOf(rows: readonly NewRow[], maxRows = maxRowsOfStatement): Generator<NewRow[]> {
  let [part, bytes]: [NewRow[], number] = [[], 0];
  for (const row of rows) {
    const rowBytes = Buffer.byteLength(JSON.stringify(row.values));
    if (part.length === maxRows || (part.length > 0 && bytes + rowBytes > maxBytesOfStatement)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(row);
    bytes += rowBytes;
  }
  if (part.length > 0) yield part;
}

/**
 * The condition of an UPDATE or DELETE of methods. For several ids, MySQL and MariaDB may read the whole table, and they lock
 * each row that they read. The function hides the ids from their optimizer, so that they read the rows of the project.
 */
function idsCondition(manager: EntityManager, ids: readonly string[]): string {
  const id = isMysql(manager) && ids.length > 1 ? 'CONCAT(id)' : 'id';
  return `project_id = :projectId AND ${id} IN (:...ids)`;
}

/**
 * Updates methods, many in one statement: `SET meta = CASE id WHEN … THEN … ELSE meta END`. The ELSE gives the parameters
 * the type of the column.
 * @returns the methods as they are stored
 */
export async function updateMethods(
  manager: EntityManager,
  projectId: string,
  rows: readonly NewRow[],
): Promise<StoredMethod[]> {
  const { driver } = manager.connection;
  const metadata = manager.connection.getMetadata(ShippingMethod);
  const isReturning = driver.isReturningSqlSupported('update');
  const updated: StoredMethod[] = [];
  for (const part of statementsOf(rows, maxRowsOfUpdate)) {
    const ids = part.map(({ id }) => id);
    const parameters: Record<string, unknown> = { projectId, ids };
    const set: Record<string, () => string> = {
      version: () => 'version + 1',
      updatedAt: () => nowIn(manager),
    };
    for (const name of settableFields) {
      const column = metadata.findColumnWithDatabaseName(name);
      if (!column) throw new TypeError(`The entity has no column ${name}.`);
      const cases = part.map(({ id, values }, index) => {
        parameters[`id${index}`] = id;
        parameters[`${name}${index}`] = driver.preparePersistentValue(values[name], column);
        return `WHEN :id${index} THEN :${name}${index}`;
      });
      set[column.propertyName] = () => `CASE id ${cases.join(' ')} ELSE ${name} END`;
    }
    const update = manager
      .createQueryBuilder()
      .update(ShippingMethod)
      .set(set)
      .where(idsCondition(manager, ids))
      .setParameters(parameters);
    if (isReturning) update.returning(returningColumns(manager));
    const { raw } = await update.updateEntity(false).execute().catch(throwLostRace);
    const stored = isReturning
      ? (raw as Row[]).map(storedMethod)
      : await storedMethods(manager, projectId, ids);
    // A row was deleted by hand, without a new revision.
    if (stored.length !== part.length)
      throw lostRace(new Error('A method was not updated. Somebody may have deleted its row by hand.'));
    updated.push(...stored);
  }
  return updated;
}

export async function deleteMethods(
  manager: EntityManager,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += maxRowsOfStatement) {
    const part = ids.slice(start, start + maxRowsOfStatement);
    const condition = idsCondition(manager, part);
    const values = { projectId, ids: part };
    const { affected } = await runCached(manager, ShippingMethod, `delete ${condition}`, values, () =>
      manager.createQueryBuilder().delete().from(ShippingMethod).where(condition),
    );
    // A row was deleted by hand, or a trigger keeps it.
    if (affected !== part.length)
      throw lostRace(new Error('A method was not deleted. A trigger of the database may have kept it.'));
  }
}

async function storedMethods(
  manager: EntityManager,
  projectId: string,
  ids: readonly string[],
): Promise<StoredMethod[]> {
  const { records } = await runCached<Row>(manager, ShippingMethod, 'stored', { projectId, ids }, () => {
    const query = manager
      .createQueryBuilder(ShippingMethod, 'm')
      .select(selectExpression(manager, 'm.project_id'), 'project_id')
      .where('m.project_id = :projectId AND m.id IN (:...ids)');
    for (const name of fieldNames) query.addSelect(columnOf(manager, name, `m.${name}`), name);
    return query;
  });
  return records.map(storedMethod);
}

function returningColumns(manager: EntityManager): string {
  const columns = fieldNames.map((name) => `${columnOf(manager, name, name)} AS ${name}`);
  return [`${selectExpression(manager, 'project_id')} AS project_id`, ...columns].join(', ');
}

function columnOf(manager: EntityManager, name: FieldName, column: string): string {
  return selectExpression(manager, column, fieldOf(name).kind === 'time');
}

/** Returns the values under the names of the entity's properties. */
function propertiesOf({ connection }: EntityManager, values: StoredValues): Partial<ShippingMethod> {
  const metadata = connection.getMetadata(ShippingMethod);
  const properties = settableFields.map((name) => [
    metadata.findColumnWithDatabaseName(name)?.propertyName,
    values[name],
  ]);
  return Object.fromEntries(properties) as Partial<ShippingMethod>;
}

function storedMethod(row: Row): StoredMethod {
  const [created_at, updated_at] = [row.created_at as string, row.updated_at as string];
  return {
    id: row.id as string,
    project_id: row.project_id as string,
    carrier_code: row.carrier_code as string,
    carrier_label: row.carrier_label as string | null,
    method_code: row.method_code as string,
    method_label: row.method_label as string,
    is_active: isTrue(row.is_active),
    sort_order: Number(row.sort_order),
    meta: row.meta as string,
    use_default: isTrue(row.use_default),
    version: Number(row.version),
    created_at,
    // Most methods are never updated. Then both times share one text in memory.
    updated_at: updated_at === created_at ? created_at : updated_at,
  };
}

/** Each driver returns booleans in its own form. */
function isTrue(value: unknown): boolean {
  return /^(true|t|1)$/.test(String(value));
}

/** A duplicate is a lost race: somebody inserted the other row by hand, without a new revision. */
function throwLostRace(error: unknown): never {
  throw isDuplicate(error, 'uq_shipping_method_codes', 'method_code') ? lostRace(error) : error;
}

export function lostRace(cause: unknown = new Error('Another writer was faster.')): DatabaseUnavailableError {
  return new DatabaseUnavailableError(cause, 'race');
}
