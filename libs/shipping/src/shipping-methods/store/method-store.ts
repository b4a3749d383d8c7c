import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { Batcher } from '../../database/batcher.js';
import { Database, type ShippingDatabaseStats } from '../../database/database.js';
import { type AfterStatements } from '../../database/run-call.js';
import { KeyedQueue } from '../../database/keyed-queue.js';
import { isReferenced } from '../../database/driver-errors.js';
import { lostRaceError } from '../../database/database.errors.js';
import { dataSourceOf, dialectIn } from '../../database/data-source-of.js';
import { MethodSettings } from '../method-settings.js';
import { type ShippingMethodChange } from '../dto/shipping-method.dto.js';
import { EffectiveMethod } from '../effective-method.js';
import { type RowChange, type Decide, expectedMethods } from '../method-changes.js';
import {
  addProject,
  removeMethods,
  insertMethods,
  lockMethod,
  lockProject,
  replaceRevision,
  revisionsOf,
  setsOf,
  updateMethods,
} from './method-rows.js';
import { mayInherit, MethodView, type Revisions } from '../method-view.js';
import { type Rendering } from '../rendering.js';
import { ShippingMethod } from '../shipping-method.table.js';
import { MethodInUseError } from '../shipping-methods.errors.js';
import { type ShippingCacheStats, ViewCache } from './view-cache.js';

/** The project after a change, and what the change did. */
export interface ChangeResult {
  view: MethodView;
  changes: readonly ShippingMethodChange[];
}

/** A change of one project. */
interface ProjectChange {
  projectId: string;
  decide: Decide;
  afterStatements: AfterStatements<ChangeResult>;
}

/** How many projects one statement asks for their revisions. */
const maxProjectsOfLookUp = 100;

/**
 * How many projects one statement reads, if they are read at the same time. A large project delays the others of its
 * statement. Later reads wait for it for at most 200 ms.
 */
const maxProjectsOfRead = 32;

/**
 * The methods of each project, as one set. A change is decided on a view, and written only if the project still has the
 * revision of that view.
 */
@Injectable()
export class MethodStore {
  private readonly cache: ViewCache;
  /**
   * Calls of this mount that change one project outside of a caller's transaction run one after another, so that they
   * share one connection.
   */
  private readonly writers = new KeyedQueue();
  /** The number of statements that have asked for revisions. */
  private revisionQueries = 0;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(MethodSettings) private readonly settings: MethodSettings,
  ) {
    const lookUp = (ids: string[]): Promise<Revisions[]> => {
      this.revisionQueries += 1;
      return database.read(undefined, (manager) => revisionsOf(manager, ids, settings.defaultsProjectId));
    };
    const revisions = new Batcher(lookUp, maxProjectsOfLookUp);
    const reads = new Batcher(
      (ids: string[]) => database.read(undefined, (manager) => this.readAll(manager, ids)),
      maxProjectsOfRead,
    );
    this.cache = new ViewCache(
      (projectId) => revisions.join(projectId),
      (projectId) => reads.join(projectId),
      settings.cache ? settings.cache.maxBytes : 0,
    );
  }

  /**
   * Returns a project as it is now. A view that a transaction has read is not cached, because it may have changes that
   * are not committed.
   */
  view(projectId: string, caller: QueryRunner | undefined): Promise<MethodView> {
    if (!caller) return this.cache.get(projectId);
    return this.database.read(caller, (manager) => this.read(manager, projectId));
  }

  /**
   * Locks the method that `select` finds in a project, and the default that it inherits from.
   * @returns the method as it is now; undefined when there is none
   * @throws DatabaseUnavailableError when the view of the transaction is too old to find the method or its default
   */
  lock(
    caller: QueryRunner,
    projectId: string,
    select: (view: MethodView) => EffectiveMethod | undefined,
  ): Promise<EffectiveMethod | undefined> {
    return this.database.read(caller, async (manager) => {
      const find = async () => select(await this.read(manager, projectId));
      const found = await find();
      if (!found) return undefined;
      const stored = await lockMethod(manager, found.stored);
      // The found method is gone or has other codes by now. If `select` still finds one, the view was too old.
      if (!stored && !(await find())) return undefined;
      if (!stored) throw lostRaceError();
      if (!stored.use_default) return new EffectiveMethod(stored, undefined);
      const inheritedFrom = found.inheritedFrom && (await lockMethod(manager, found.inheritedFrom));
      // Since the view was read, the method has begun to inherit, or its default was removed.
      if (!found.stored.use_default || (found.inheritedFrom && !inheritedFrom)) throw lostRaceError();
      return new EffectiveMethod(stored, inheritedFrom);
    });
  }

  /**
   * Returns what `render` makes from a project. Outside of a transaction, the cache keeps it with the view, by its
   * name.
   */
  async rendering(
    projectId: string,
    caller: QueryRunner | undefined,
    name: string,
    render: (view: MethodView) => Rendering,
  ): Promise<Rendering> {
    const view = await this.view(projectId, caller);
    return caller ? render(view) : this.cache.rendering(view, name, () => render(view));
  }

  /** @throws the error of the decision; DatabaseUnavailableError, OutcomeUnknownError */
  change(caller: QueryRunner | undefined, change: ProjectChange): Promise<ChangeResult> {
    const { projectId, afterStatements } = change;
    if (caller)
      return this.database.write(caller, (manager) => this.readAndChange(manager, change), afterStatements);
    return this.writers.take(projectId, async () => {
      const view = await this.cache.get(projectId);
      // A change of nothing needs no transaction.
      const rows = await this.decisionOn(view, change);
      if (rows.length === 0) return { view, changes: [] };
      // A retry begins with the same view on purpose. If its revision is no longer current, the retry locks the project.
      const result = await this.database.write(
        undefined,
        (manager, isRetry) => this.changeIn(manager, change, { view, rows }, isRetry),
        afterStatements,
      );
      this.cache.put(result.view);
      return result;
    });
  }

  /**
   * Returns what `change` is expected to return. It reads once, writes nothing and takes no lock.
   * @throws the error of the decision, except for MethodInUseError: only the database knows your foreign keys
   */
  async preview(caller: QueryRunner | undefined, projectId: string, decide: Decide): Promise<ChangeResult> {
    // New methods may inherit, so the defaults are read in any case, at the same moment.
    const [current, defaults] = await this.database.read(caller, (manager) =>
      setsOf(manager, [projectId, this.settings.defaultsProjectId]),
    );
    if (!current) throw new Error('setsOf() returned no set for the project.');
    const view = new MethodView(current, defaults);
    const changes = decide(view, defaults && new MethodView(defaults));
    const after = new MethodView({ ...current, methods: expectedMethods(current, changes) }, defaults);
    return { view: after, changes: changesShownIn(view, after, changes) };
  }

  cacheStats(): ShippingCacheStats {
    return { ...this.cache.stats(), revisionQueries: this.revisionQueries };
  }

  databaseStats(): ShippingDatabaseStats {
    return { ...this.database.counters, waitingWriters: this.writers.waiting };
  }

  private async readAndChange(manager: EntityManager, change: ProjectChange): Promise<ChangeResult> {
    const { projectId } = change;
    // This locks the row of the project. If the transaction has read nothing before, its snapshot then begins after the
    // lock, and shows what other writers have committed.
    if (dialectIn(manager).readsFromSnapshot) await addProject(manager, projectId, randomUUID());
    const view = await this.read(manager, projectId);
    const rows = await this.decisionOn(view, change, manager);
    return rows.length === 0 ? { view, changes: [] } : this.changeIn(manager, change, { view, rows });
  }

  /**
   * Writes what was decided on a view, if the project still has the revision of this view. Otherwise another writer was
   * faster. Then the call locks the project, and decides on the project as it is then.
   * @param isRetry the transaction is READ COMMITTED, because an earlier one has lost a race
   */
  private async changeIn(
    manager: EntityManager,
    change: ProjectChange,
    { view, rows }: { view: MethodView; rows: RowChange[] },
    isRetry = false,
  ): Promise<ChangeResult> {
    const { projectId } = change;
    const revision = randomUUID();
    let [current, changes] = [view, rows];
    if (!(await replaceRevision(manager, projectId, view.revision, revision))) {
      // A snapshot may not show what the other writer has committed. At READ COMMITTED there is no snapshot.
      const mayBeStale = dialectIn(manager).readsFromSnapshot && !isRetry;
      if (mayBeStale) throw lostRaceError();
      // A retry has been counted, when its first try lost the race.
      if (!isRetry) this.database.countLostRace();
      await lockProject(manager, projectId, revision);
      current = await this.read(manager, projectId);
      changes = await this.decisionOn(current, change, manager);
    }
    await writeRows(manager, projectId, changes);
    // A trigger of the database may have changed the rows.
    const after = await this.read(manager, projectId);
    return { view: after, changes: changesShownIn(current, after, changes) };
  }

  private async decisionOn(
    view: MethodView,
    { decide }: ProjectChange,
    manager?: EntityManager,
  ): Promise<RowChange[]> {
    const { defaultsProjectId } = this.settings;
    if (!decide.needsDefaults?.(view)) return decide(view);
    const defaults = manager ? this.read(manager, defaultsProjectId) : this.cache.get(defaultsProjectId);
    return decide(view, await defaults);
  }

  private async read(manager: EntityManager, projectId: string): Promise<MethodView> {
    const [view] = await this.readAll(manager, [projectId]);
    if (!view) throw new Error('readAll() returned no view for the project.');
    return view;
  }

  private async readAll(manager: EntityManager, projectIds: readonly string[]): Promise<MethodView[]> {
    const { defaultsProjectId } = this.settings;
    const sets = await setsOf(manager, projectIds);
    if (!sets.some((set) => mayInherit(set, defaultsProjectId)))
      return sets.map((set) => new MethodView(set));
    // The sets are read again, because a set and its defaults must come from the same moment.
    const sameMoment = await setsOf(manager, [...projectIds, defaultsProjectId]);
    const defaults = sameMoment.pop();
    return sameMoment.map((set) => new MethodView(set, defaults));
  }
}

/** Removes rows first. If your foreign key forbids that, nothing else is written. */
async function writeRows(
  manager: EntityManager,
  projectId: string,
  changes: readonly RowChange[],
): Promise<void> {
  const removals = changes.filter(({ kind }) => kind === 'remove');
  const updates = changes.filter((change) => change.kind === 'update');
  const inserts = changes.filter((change) => change.kind === 'insert');
  try {
    await removeMethods(
      manager,
      projectId,
      removals.map(({ id }) => id),
    );
    await updateMethods(manager, projectId, updates);
  } catch (error) {
    const { tableName } = dataSourceOf(manager).getMetadata(ShippingMethod);
    throw isReferenced(error, tableName) ? new MethodInUseError(error) : error;
  }
  await insertMethods(manager, projectId, inserts);
}

/**
 * Returns what the changes have done. If a trigger of the database has removed an updated row, the method counts as
 * removed.
 * @throws Error if a trigger has removed an inserted row
 */
function changesShownIn(
  viewBefore: MethodView,
  viewAfter: MethodView,
  changes: readonly RowChange[],
): ShippingMethodChange[] {
  const byId = ({ methods }: MethodView) => new Map(methods.map((method) => [method.stored.id, method]));
  const [methodsBefore, methodsAfter] = [byId(viewBefore), byId(viewAfter)];
  return changes.map(({ id }) => {
    const before = methodsBefore.get(id)?.toDto() ?? null;
    const after = methodsAfter.get(id)?.toDto() ?? null;
    if (before) return after ? { type: 'updated', before, after } : { type: 'removed', before, after };
    if (after) return { type: 'created', before, after };
    throw new Error(
      'A new method is missing after the write. A trigger of the database may have removed it.',
    );
  });
}
