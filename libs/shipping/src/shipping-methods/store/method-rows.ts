import { randomUUID } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { lostRaceError } from '../../database/database.errors.js';
import { dataSourceOf, dialectIn } from '../../database/data-source-of.js';
import { runCached } from '../../database/run-cached.js';
import { type StoredMethod } from '../effective-method.js';
import { codesKey } from '../method-codes.js';
import { type FieldName, fieldNames, fieldOf, type SettableField, settableFields } from '../method-fields.js';
import { type MethodSet, type Revisions } from '../method-view.js';
import { ShippingMethod } from '../shipping-method.table.js';
import { ShippingProject } from '../shipping-project.table.js';
import { type StoredValues } from '../stored-values.js';
import { inheritedFieldsOf, useDefaultOf } from '../use-default.js';
import { unsliced } from '../unsliced.js';

// This file has all statements about methods. A column has the name of its field in JSON. The QueryBuilder executes each
// statement that writes methods, because it tells your subscribers of TypeORM about it.

type Row = Record<FieldName | 'project_id' | 'revision', unknown>;

/** The values that an INSERT or an UPDATE gives a row. */
interface NewRow {
  id: string;
  values: StoredValues;
}

/**
 * How many rows one INSERT has at most. Its values then take about 1 MiB, or 2 MiB if a driver escapes them. MySQL and
 * MariaDB refuse a statement that is longer than their `max_allowed_packet`, at least 4 MiB by default.
 */
const rowsOfInsert = 50;

/**
 * @returns one entry for each project id, in the same order: the revision of the project and the revision of the
 *   defaults project
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
        .select(dialectIn(manager).valueColumn('p.project_id'), 'id')
        .addSelect(dialectIn(manager).valueColumn('p.revision'), 'revision')
        .where('p.project_id IN (:...ids)'),
  );
  const found = new Map(records.map(({ id, revision }) => [id, revision]));
  return projectIds.map((id) => ({ project: found.get(id), defaults: found.get(defaultsProjectId) }));
}

/** Reads projects with their methods in one statement, so that all of them come from the same moment. */
export async function setsOf(manager: EntityManager, projectIds: readonly string[]): Promise<MethodSet[]> {
  const { records } = await runCached<Row>(manager, ShippingMethod, 'sets', { ids: projectIds }, () => {
    const query = manager
      .createQueryBuilder(ShippingProject, 'p')
      .leftJoin(ShippingMethod, 'm', 'm.project_id = p.project_id')
      .select(dialectIn(manager).valueColumn('p.project_id'), 'project_id')
      .addSelect(dialectIn(manager).valueColumn('p.revision'), 'revision')
      .where('p.project_id IN (:...ids)');
    for (const name of fieldNames) query.addSelect(columnOf(manager, name), name);
    return query;
  });
  return projectIds.map((givenId) => {
    const rows = records.filter((row) => row.project_id === givenId);
    // All methods share one text for the id of their project. The cache keeps it.
    const projectId = unsliced(givenId);
    const methods = rows[0]?.id ? rows.map((row) => storedMethod(projectId, row)) : [];
    return { projectId, revision: rows[0] && String(rows[0].revision), methods };
  });
}

/**
 * Replaces the revision of a project, which locks its row until the end of the transaction.
 * @param known the revision that the row must have; undefined: there must be no row
 * @returns false if the project has another revision. Then nothing was written.
 */
export async function replaceRevision(
  manager: EntityManager,
  projectId: string,
  known: string | undefined,
  next: string,
): Promise<boolean> {
  const matched = known ?? randomUUID();
  if (known === undefined) await addProject(manager, projectId, matched);
  // If an INSERT finds that the row exists, some drivers count it and others do not. So the UPDATE decides: it matches a
  // random first revision, which only our own INSERT can have written.
  const values = { projectId, matched, next };
  const { affected } = await runCached(manager, ShippingProject, 'replace', values, () =>
    setRevision(manager).where('project_id = :projectId AND revision = :matched'),
  );
  return affected === 1;
}

/** Waits for the other writers of a project, and gives it a revision, which locks its row. */
export async function lockProject(manager: EntityManager, projectId: string, next: string): Promise<void> {
  // Some drivers count only the rows whose values an UPDATE changes. So the INSERT must not write `next`.
  await addProject(manager, projectId, randomUUID());
  const { affected } = await runCached(manager, ShippingProject, 'lock', { projectId, next }, () =>
    setRevision(manager).where('project_id = :projectId'),
  );
  // Somebody has removed the row by hand since the INSERT found it.
  if (affected !== 1) throw lostRaceError();
}

function setRevision(manager: EntityManager) {
  return manager
    .createQueryBuilder()
    .update(ShippingProject)
    .set({ revision: () => ':next' });
}

/** Adds the row of a project, if there is none. On MySQL and MariaDB it also locks a row that it finds. */
export async function addProject(manager: EntityManager, projectId: string, revision: string): Promise<void> {
  await runCached(manager, ShippingProject, 'project', { projectId, revision }, () => {
    const values = { projectId: () => ':projectId', revision: () => ':revision' };
    const insert = manager.createQueryBuilder().insert().into(ShippingProject).values(values);
    return dialectIn(manager).ifAbsent(insert, 'project_id');
  });
}

export async function insertMethods(
  manager: EntityManager,
  projectId: string,
  rows: readonly NewRow[],
): Promise<void> {
  const now = (): string => dialectIn(manager).now;
  for (let start = 0; start < rows.length; start += rowsOfInsert) {
    const values = rows.slice(start, start + rowsOfInsert).map(({ id, values: fields }) => ({
      ...propertiesOf(manager, fields),
      projectId,
      id,
      version: 1,
      createdAt: now,
      updatedAt: now,
    }));
    await manager
      .createQueryBuilder()
      .insert()
      .into(ShippingMethod)
      .values(values)
      .updateEntity(false)
      .execute();
  }
}

/** Updates methods, each by one statement. @throws Error when the database did not change a row of the view */
export async function updateMethods(
  manager: EntityManager,
  projectId: string,
  rows: readonly NewRow[],
): Promise<void> {
  for (const { id, values } of rows) {
    const { affected } = await manager.update(
      ShippingMethod,
      { projectId, id },
      {
        ...propertiesOf(manager, values),
        version: () => 'version + 1',
        updatedAt: () => dialectIn(manager).now,
      },
    );
    if (affected !== 1)
      throw new Error(
        'A method was not updated. A trigger may keep its row, or somebody has removed it by hand.',
      );
  }
}

/** Removes methods. @throws Error when the database did not remove a row of the view */
export async function removeMethods(
  manager: EntityManager,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  // For several ids, MySQL and MariaDB may read the whole table, and they lock each row that they read. COALESCE hides
  // the ids from their optimizer, so that they read only the rows of the project.
  const id = ids.length === 1 ? 'id' : 'COALESCE(id, id)';
  const { affected } = await manager
    .createQueryBuilder()
    .delete()
    .from(ShippingMethod)
    .where(`project_id = :projectId AND ${id} IN (:...ids)`, { projectId, ids })
    .execute();
  if (affected !== ids.length)
    throw new Error(
      'A method was not removed. A trigger may keep its row, or somebody has removed it by hand.',
    );
}

/**
 * Reads a method and locks its row, so that no other transaction changes it before this transaction ends. A locking
 * read returns the newest committed values, even on MySQL, where the snapshot of the transaction may be older.
 *
 * It finds the row by the primary key, as a writer does. By the other index, it would lock the index entry before the
 * row, and a writer that changes the codes locks them in the opposite order.
 * @returns undefined when the row is gone or has other codes
 */
export async function lockMethod(
  manager: EntityManager,
  known: StoredMethod,
): Promise<StoredMethod | undefined> {
  const { project_id: projectId, id } = known;
  const { records } = await runCached<Row>(manager, ShippingMethod, 'lock', { projectId, id }, () => {
    const query = manager
      .createQueryBuilder(ShippingMethod, 'm')
      .select([])
      .where('m.project_id = :projectId AND m.id = :id');
    for (const name of fieldNames) query.addSelect(columnOf(manager, name), name);
    return { getQuery: () => query.getQuery() + dialectIn(manager).shareLock };
  });
  const locked = records[0] && storedMethod(projectId, records[0]);
  return locked && codesKey(locked) === codesKey(known) ? locked : undefined;
}

function columnOf(manager: EntityManager, name: FieldName): string {
  const dialect = dialectIn(manager);
  // Most methods are never updated. The time of the update is then not sent, and `storedMethod` shares the other text.
  const column = name === 'updated_at' ? 'NULLIF(m.updated_at, m.created_at)' : `m.${name}`;
  return fieldOf(name).kind === 'time' ? dialect.timeColumn(column) : dialect.valueColumn(column);
}

/** Returns the values by the names of the entity's properties. */
function propertiesOf(manager: EntityManager, values: StoredValues): Partial<ShippingMethod> {
  const metadata = dataSourceOf(manager).getMetadata(ShippingMethod);
  const propertyOf = (name: SettableField): string => {
    const column = metadata.findColumnWithDatabaseName(name);
    if (!column) throw new Error(`The entity ShippingMethod has no column ${name}.`);
    return column.propertyName;
  };
  const columns = { ...values, use_default: inheritedFieldsOf(values.use_default) };
  return Object.fromEntries(settableFields.map((name) => [propertyOf(name), columns[name]]));
}

function storedMethod(project_id: string, row: Row): StoredMethod {
  const created_at = row.created_at as string;
  return {
    id: row.id as string,
    project_id,
    carrier_code: row.carrier_code as string,
    carrier_label: row.carrier_label as string | null,
    method_code: row.method_code as string,
    method_label: row.method_label as string,
    is_active: isTrue(row.is_active),
    sort_order: Number(row.sort_order),
    meta: row.meta as string,
    // Most methods inherit nothing.
    use_default: row.use_default !== '' && useDefaultOf((row.use_default as string).split(',')),
    version: Number(row.version),
    created_at,
    updated_at: (row.updated_at as string | null) ?? created_at,
  };
}

/** Each driver returns booleans in its own form. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}
