import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { Batcher } from '../../database/batcher.js';
import { Database } from '../../database/database.js';
import { type AfterStatements } from '../../database/run-call.js';
import { KeyedQueue } from '../../database/keyed-queue.js';
import { isReferenced } from '../../database/driver-errors.js';
import { lostRaceError } from '../../database/database.errors.js';
import { dataSourceOf, dialectIn } from '../../database/data-source-of.js';
import { MethodSettings } from '../method-settings.js';
import { type ChangeResult, changesBetween, expectedResult } from '../change-result.js';
import { EffectiveMethod, type StoredMethod } from '../effective-method.js';
import { type Decide, type RowWrite } from '../method-changes.js';
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
import { anyMayInherit, MethodView, type Revisions } from '../method-view.js';
import { type Rendering } from '../../http/response.js';
import { ShippingMethod } from '../shipping-method.table.js';
import { MethodInUseError } from '../shipping-methods.errors.js';
import { type ShippingCacheStats, ViewCache } from './view-cache.js';

/** A call that changes one project. */
interface ChangingCall {
  projectId: string;
  decide: Decide;
  afterStatements: AfterStatements<ChangeResult>;
}

/** A call writes these rows. The view is the one on which that was decided. */
interface Decision {
  view: MethodView;
  writes: readonly RowWrite[];
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
      if (stored) return withLockedDefault(manager, stored, found);
      // The found method is gone or has other codes by now. If `select` still finds one, the view was too old.
      if (await find()) throw lostRaceError();
      return undefined;
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
  change(caller: QueryRunner | undefined, call: ChangingCall): Promise<ChangeResult> {
    const { projectId, afterStatements } = call;
    if (caller)
      return this.database.write(caller, (manager) => this.readAndChange(manager, call), afterStatements);
    return this.writers.take(projectId, async () => {
      const decision = await this.decisionOn(await this.cache.get(projectId), call);
      // A change of nothing needs no transaction.
      if (decision.writes.length === 0) return { view: decision.view, changes: [] };
      // A retry begins with the same view on purpose. If its revision is no longer current, the retry locks the project.
      const result = await this.database.write(
        undefined,
        (manager, isRetry) => this.write(manager, call, decision, isRetry),
        afterStatements,
      );
      this.cache.put(result.view);
      return result;
    });
  }

  /**
   * Returns what a change is expected to return. It reads once, writes nothing and takes no lock.
   * @throws the error of the decision, except for MethodInUseError: only the database knows your foreign keys
   */
  async preview(caller: QueryRunner | undefined, projectId: string, decide: Decide): Promise<ChangeResult> {
    // New methods may inherit, so the defaults are read in any case, at the same moment.
    const [set, defaultsSet] = await this.database.read(caller, (manager) =>
      setsOf(manager, [projectId, this.settings.defaultsProjectId]),
    );
    if (!set) throw new Error('setsOf() returned no set for the project.');
    return expectedResult(decide, set, defaultsSet);
  }

  cacheStats(): ShippingCacheStats {
    return { ...this.cache.stats(), revisionQueries: this.revisionQueries };
  }

  /** How many calls wait for an earlier change of the same project. */
  get waitingWriters(): number {
    return this.writers.waiting;
  }

  private async readAndChange(manager: EntityManager, call: ChangingCall): Promise<ChangeResult> {
    const { projectId } = call;
    // This locks the row of the project. If the transaction has read nothing before, its snapshot then begins after the
    // lock, and shows what other writers have committed.
    if (dialectIn(manager).readsFromSnapshot) await addProject(manager, projectId, randomUUID());
    const decision = await this.decisionOn(await this.read(manager, projectId), call, manager);
    if (decision.writes.length === 0) return { view: decision.view, changes: [] };
    return this.write(manager, call, decision);
  }

  /**
   * Writes what was decided on a view, if the project still has the revision of this view. Otherwise another writer was
   * faster, and the call decides again.
   * @param isRetry the transaction is READ COMMITTED, because an earlier one has lost a race
   */
  private async write(
    manager: EntityManager,
    call: ChangingCall,
    decision: Decision,
    isRetry = false,
  ): Promise<ChangeResult> {
    const { projectId } = call;
    const revision = randomUUID();
    const isCurrent = await replaceRevision(manager, projectId, decision.view.revision, revision);
    const { view, writes } = isCurrent
      ? decision
      : await this.lockAndDecide(manager, call, revision, isRetry);
    await writeRows(manager, projectId, writes);
    // A trigger of the database may have changed the rows.
    const after = await this.read(manager, projectId);
    return { view: after, changes: changesBetween(view, after, writes) };
  }

  /** Locks the project, gives it a revision, and decides on the project as it is then. */
  private async lockAndDecide(
    manager: EntityManager,
    call: ChangingCall,
    revision: string,
    isRetry: boolean,
  ): Promise<Decision> {
    // A snapshot may not show what the other writer has committed. At READ COMMITTED there is no snapshot.
    if (dialectIn(manager).readsFromSnapshot && !isRetry) throw lostRaceError();
    // A retry has been counted, when its first try lost the race.
    if (!isRetry) this.database.countLostRace();
    await lockProject(manager, call.projectId, revision);
    return this.decisionOn(await this.read(manager, call.projectId), call, manager);
  }

  private async decisionOn(
    view: MethodView,
    { decide }: ChangingCall,
    manager?: EntityManager,
  ): Promise<Decision> {
    if (!decide.needsDefaults?.(view)) return { view, writes: decide(view) };
    const { defaultsProjectId } = this.settings;
    const defaults = manager ? this.read(manager, defaultsProjectId) : this.cache.get(defaultsProjectId);
    return { view, writes: decide(view, await defaults) };
  }

  private async read(manager: EntityManager, projectId: string): Promise<MethodView> {
    const [view] = await this.readAll(manager, [projectId]);
    if (!view) throw new Error('readAll() returned no view for the project.');
    return view;
  }

  private async readAll(manager: EntityManager, projectIds: readonly string[]): Promise<MethodView[]> {
    const { defaultsProjectId } = this.settings;
    const sets = await setsOf(manager, projectIds);
    if (!sets.some((set) => anyMayInherit(set, defaultsProjectId)))
      return sets.map((set) => new MethodView(set));
    // The sets are read again, because a set and its defaults must come from the same moment.
    const sameMoment = await setsOf(manager, [...projectIds, defaultsProjectId]);
    const defaults = sameMoment.pop();
    return sameMoment.map((set) => new MethodView(set, defaults));
  }
}

/** @param seen the method as the view showed it before it was locked */
async function withLockedDefault(
  manager: EntityManager,
  stored: StoredMethod,
  seen: EffectiveMethod,
): Promise<EffectiveMethod> {
  if (!stored.use_default) return new EffectiveMethod(stored, false);
  // The view does not have the default of a method that has begun to inherit since then.
  if (!seen.stored.use_default) throw lostRaceError();
  const inheritedFrom = seen.inheritedFrom && (await lockMethod(manager, seen.inheritedFrom));
  // The default was removed since then.
  if (seen.inheritedFrom && !inheritedFrom) throw lostRaceError();
  return new EffectiveMethod(stored, seen.mayInherit, inheritedFrom);
}

/** Removes rows first. If your foreign key forbids that, nothing else is written. */
async function writeRows(
  manager: EntityManager,
  projectId: string,
  writes: readonly RowWrite[],
): Promise<void> {
  const removals = writes.filter(({ kind }) => kind === 'remove');
  const updates = writes.filter((write) => write.kind === 'update');
  const inserts = writes.filter((write) => write.kind === 'insert');
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
