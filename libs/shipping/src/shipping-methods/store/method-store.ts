import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Batcher } from '../../database/batcher.js';
import { type AfterStatements, Database } from '../../database/database.js';
import { KeyedQueue } from '../../database/keyed-queue.js';
import { onePerDataSource } from '../../database/one-per-data-source.js';
import { isShardError, isReferenced } from '../../database/connection-errors.js';
import { readsFromSnapshotByDefault } from '../../database/engines/engine.js';
import { ShippingSettings } from '../../shipping.options.js';
import { ShippingException } from '../../problems/shipping.exception.js';
import { type ShippingMethodChange } from '../dto/shipping-method.dto.js';
import { type Change, type Decide, expectedRow } from '../method-changes.js';
import {
  addProject,
  claim,
  deleteMethods,
  insertMethods,
  lock,
  lostRace,
  revisionsOf,
  setsOf,
  updateMethods,
} from './method-rows.js';
import { type MethodSet, MethodView, type Revisions, tagOf, type WrittenRow } from '../method-view.js';
import { ShippingMethod } from '../shipping-method.table.js';
import { MethodInUseError } from '../shipping-methods.errors.js';
import { type CacheStats, ViewCache } from './view-cache.js';

/** The project after a change, and what the change did. */
export interface ChangeResult {
  view: MethodView;
  changes: readonly ShippingMethodChange[];
}

/** A change of one project. */
export interface ProjectChange {
  projectId: string;
  decide: Decide;
  afterStatements: AfterStatements<ChangeResult>;
}

interface Plan {
  view: MethodView;
  changes: readonly Change[];
}

/**
 * Calls that change one project outside of a caller's transaction run one after another, so that they share one connection.
 * All mounts on a DataSource share the queue.
 */
const writersOf = onePerDataSource(() => new KeyedQueue());

/**
 * The methods of each project, as one set. A change is decided on a view, and written only if the project still has the
 * revision of that view.
 */
@Injectable()
export class MethodStore {
  private readonly revisions: Batcher<string, Revisions>;
  private readonly cache: ViewCache;
  /** The number of statements that have asked for revisions. */
  private lookUps = 0;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {
    const lookUp = (ids: string[]): Promise<Revisions[]> => {
      this.lookUps += 1;
      return database.read(undefined, (manager) => revisionsOf(manager, ids, settings.defaultsProjectId));
    };
    this.revisions = new Batcher(lookUp, isShardError);
    this.cache = new ViewCache(
      async (projectId) => {
        const now = await this.revisions.join(projectId);
        return ({ tag, inherits }) => tag === tagOf(now, inherits);
      },
      (projectId) => database.read(undefined, (manager) => this.read(manager, projectId)),
      settings.cache ? settings.cache.maxBytes : 0,
    );
  }

  /**
   * Returns a project as it is now. A view that a transaction has read is not cached, because it may have changes that are
   * not committed.
   */
  view(projectId: string, callerManager: EntityManager | undefined): Promise<MethodView> {
    if (!callerManager) return this.cache.get(projectId);
    return this.database.read(callerManager, (manager) => this.read(manager, projectId));
  }

  /** Returns the JSON that `make` makes from a view. The cache keeps it under the name. */
  body(view: MethodView, name: string, make: () => string): Buffer {
    return this.cache.body(view, name, make);
  }

  /** @throws the refusal of the call; DatabaseUnavailableError, OutcomeUnknownError */
  change(callerManager: EntityManager | undefined, change: ProjectChange): Promise<ChangeResult> {
    if (callerManager)
      return this.database.write(
        callerManager,
        (manager) => this.changeInCallersTransaction(manager, change),
        change.afterStatements,
      );
    return writersOf(this.database.dataSource).take(change.projectId, () =>
      this.changeOnOwnConnection(change),
    );
  }

  /**
   * Returns what `change` is expected to return. It reads once, writes nothing and takes no lock.
   * @throws the refusal of the call, except for MethodInUseError: only the database knows your foreign keys
   */
  async preview(
    callerManager: EntityManager | undefined,
    projectId: string,
    decide: Decide,
  ): Promise<ChangeResult> {
    const { defaultsProjectId } = this.settings;
    // New methods may inherit, so the defaults are read in any case, at the same moment.
    const [current, defaults] = await this.database.read(callerManager, (manager) =>
      setsOf(manager, [projectId, defaultsProjectId]),
    );
    if (!current) throw new TypeError('setsOf() returns a set for each project.');
    const viewOf = (set: MethodSet): MethodView =>
      MethodView.of(set, projectId === defaultsProjectId ? undefined : defaults);
    const changes = decide(viewOf(current));
    const now = new Date().toISOString();
    const rows = changes.map((change) => expectedRow(change, projectId, now));
    const writtenIds = new Set(rows.map(({ id }) => id));
    const untouched = current.methods.filter(({ id }) => !writtenIds.has(id));
    const after = viewOf({
      ...current,
      methods: untouched.concat(rows.flatMap(({ stored }) => stored ?? [])),
    });
    return { view: after, changes: changesShownIn(after, changes) };
  }

  cacheStats(): CacheStats {
    return { ...this.cache.stats(), lookUps: this.lookUps };
  }

  private async changeOnOwnConnection(change: ProjectChange): Promise<ChangeResult> {
    const { projectId, decide, afterStatements } = change;
    const plan = this.decideOnCachedView(change) ?? decideOn(await this.view(projectId, undefined), decide);
    if (plan.changes.length === 0) return { view: plan.view, changes: [] };
    const result = await this.database.write(
      undefined,
      async (manager, isRetry) => {
        const revision = randomUUID();
        // Another process was faster, and may be again. So the second try waits for the lock of the project, and then decides.
        if (isRetry) return this.lockAndChange(manager, change, revision);
        if (!(await claim(manager, projectId, plan.view.revision, revision))) throw lostRace();
        return this.write(manager, plan, revision);
      },
      afterStatements,
    );
    this.cache.put(result.view);
    return result;
  }

  /**
   * Decides on the cached view, which may be old. If rows are to be written, `claim` detects an old view. If the decision
   * is a refusal, or changes nothing, the result is undefined, because the current view may lead to another decision. The
   * result is also undefined for a view that inherits, because `claim` does not compare the revision of the defaults.
   */
  private decideOnCachedView(change: ProjectChange): Plan | undefined {
    const view = this.cache.peek(change.projectId);
    if (!view || view.inherits) return undefined;
    try {
      const plan = decideOn(view, change.decide);
      return plan.changes.length === 0 ? undefined : plan;
    } catch (error) {
      if (error instanceof ShippingException) return undefined;
      throw error;
    }
  }

  private async changeInCallersTransaction(
    manager: EntityManager,
    change: ProjectChange,
  ): Promise<ChangeResult> {
    const { projectId, decide } = change;
    // This locks the row of the project. If the transaction has read nothing before, its snapshot then begins after the
    // lock, and shows what other writers have committed.
    if (readsFromSnapshotByDefault(manager)) await addProject(manager, projectId);
    const plan = decideOn(await this.read(manager, projectId), decide);
    if (plan.changes.length === 0) return { view: plan.view, changes: [] };
    const revision = randomUUID();
    if (await claim(manager, projectId, plan.view.revision, revision))
      return this.write(manager, plan, revision);
    // The snapshot is older than the commit of another writer.
    if (readsFromSnapshotByDefault(manager)) throw lostRace();
    return this.lockAndChange(manager, change, revision);
  }

  private async lockAndChange(
    manager: EntityManager,
    change: ProjectChange,
    revision: string,
  ): Promise<ChangeResult> {
    await lock(manager, change.projectId, revision);
    return this.write(manager, decideOn(await this.read(manager, change.projectId), change.decide), revision);
  }

  private async write(
    manager: EntityManager,
    { view, changes }: Plan,
    revision: string,
  ): Promise<ChangeResult> {
    const { projectId } = view;
    const rows = await writeRows(manager, projectId, changes);
    const after = view.with(rows, revision) ?? (await this.read(manager, projectId));
    return { view: after, changes: changesShownIn(after, changes) };
  }

  private async read(manager: EntityManager, projectId: string): Promise<MethodView> {
    const [set] = await setsOf(manager, [projectId]);
    if (!set) throw new TypeError('setsOf() returns a set for each project.');
    const { defaultsProjectId } = this.settings;
    const inherits = projectId !== defaultsProjectId && set.methods.some((method) => method.use_default);
    if (!inherits) return MethodView.of(set);
    // The set is read again, because both sets must come from the same moment.
    const [inheriting = set, defaults] = await setsOf(manager, [projectId, defaultsProjectId]);
    return MethodView.of(inheriting, defaults);
  }
}

function decideOn(view: MethodView, decide: Decide): Plan {
  return { view, changes: decide(view) };
}

/** Deletes rows first. If your foreign key forbids that, nothing else is written. */
async function writeRows(
  manager: EntityManager,
  projectId: string,
  changes: readonly Change[],
): Promise<WrittenRow[]> {
  const deletedIds = changes.filter(({ kind }) => kind === 'delete').map(({ id }) => id);
  const updates = changes.filter((change) => change.kind === 'update');
  const insertions = changes.filter((change) => change.kind === 'insert');
  const { tableName } = manager.connection.getMetadata(ShippingMethod);
  const refuseAsInUse = (error: unknown): never => {
    throw isReferenced(error, tableName) ? new MethodInUseError(error) : error;
  };
  await deleteMethods(manager, projectId, deletedIds).catch(refuseAsInUse);
  const updated = await updateMethods(manager, projectId, updates).catch(refuseAsInUse);
  const inserted = await insertMethods(manager, projectId, insertions);
  return [
    ...deletedIds.map((id) => ({ id, stored: undefined })),
    ...[...updated, ...inserted].map((stored) => ({ id: stored.id, stored })),
  ];
}

/**
 * Returns what the changes have done. If a trigger of the database has removed an updated row, the method counts as deleted.
 * @throws Error if a trigger has removed an inserted row
 */
function changesShownIn(view: MethodView, changes: readonly Change[]): ShippingMethodChange[] {
  const methods = new Map(view.methods.map((method) => [method.stored.id, method]));
  return changes.map((change) => {
    const after = change.kind === 'delete' ? undefined : methods.get(change.id)?.dto;
    if (change.kind !== 'insert') {
      const before = change.before.dto;
      return after ? { type: 'updated', before, after } : { type: 'deleted', before, after: null };
    }
    if (after) return { type: 'created', before: null, after };
    throw new Error(
      'A new method is missing after the write. A trigger of the database may have removed it.',
    );
  });
}
