import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Batcher } from '../../database/batcher.js';
import { type Completion, Database } from '../../database/database.js';
import { DatabaseUnavailableError } from '../../database/database.errors.js';
import { KeyedQueue } from '../../database/keyed-queue.js';
import { onePerDataSource } from '../../database/one-per-data-source.js';
import { isOfShard, isReferenced } from '../../database/connection-errors.js';
import { keepsSnapshot } from '../../database/engines/engine.js';
import { MethodSettings } from '../method-settings.js';
import { ShippingException } from '../../problems/shipping.exception.js';
import { type ShippingMethodChange } from '../dto/shipping-method.dto.js';
import { type Change, type Decide, expectedRow } from '../method-changes.js';
import {
  addProject,
  claim,
  deleteMethods,
  deleteProject,
  insertMethods,
  lock,
  lostRace,
  revisionsOf,
  setsOf,
  updateMethods,
} from './method-rows.js';
import { type MethodSet, MethodView, type Revisions, tagOf, type WrittenRow } from '../method-view.js';
import { ShippingMethod } from '../shipping-method.entity.js';
import { MethodInUseError } from '../shipping-methods.errors.js';
import { type CacheStats, ViewCache } from './view-cache.js';

/** The result of a change. */
export interface Done {
  /** The project after the change. */
  view: MethodView;
  changes: readonly ShippingMethodChange[];
}

/** A change of one project. */
export interface ProjectChange {
  projectId: string;
  decide: Decide;
  completion: Completion<Done>;
  /** No method is left: the row of the project is deleted, too. */
  removesProject?: boolean;
}

interface Plan {
  view: MethodView;
  changes: readonly Change[];
}

/**
 * Outside of the callers' transactions, the writers of one project wait here for each other. They then use one connection,
 * not one each. All mounts on a DataSource share the queue.
 */
const writersOn = onePerDataSource(() => new KeyedQueue());

/**
 * The methods of each project, as one set. A change is decided on a view, and written only if the project still has the
 * revision of that view.
 */
@Injectable()
export class MethodStore {
  private readonly revisions: Batcher<string, Revisions>;
  private readonly cache: ViewCache;
  /** How many statements have asked for revisions. */
  private lookUps = 0;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(MethodSettings) private readonly settings: MethodSettings,
  ) {
    const lookUp = (ids: string[]): Promise<Revisions[]> => {
      this.lookUps += 1;
      return database.read(undefined, (manager) => revisionsOf(manager, ids, settings.defaultsProjectId));
    };
    this.revisions = new Batcher(lookUp, isOfShard);
    this.cache = new ViewCache(
      async (projectId) => {
        const now = await this.revisions.join(projectId);
        return ({ tag, inherits }) => tag === tagOf(now, inherits);
      },
      (projectId) => database.read(undefined, (manager) => this.read(manager, projectId)),
      settings.cacheBytes,
    );
  }

  /** A project as it is now. What a transaction reads is not kept: others must not see it. */
  view(projectId: string, joined: EntityManager | undefined): Promise<MethodView> {
    if (!joined) return this.cache.get(projectId);
    return this.database.read(joined, (manager) => this.read(manager, projectId));
  }

  /** JSON of a view, made once. */
  body(view: MethodView, name: string, make: () => string): Buffer {
    return this.cache.body(view, name, make);
  }

  /** @throws the refusal of the call; DatabaseUnavailableError, OutcomeUnknownError */
  change(joined: EntityManager | undefined, change: ProjectChange): Promise<Done> {
    if (joined)
      return this.database.write(joined, (manager) => this.changeIn(manager, change), change.completion);
    return writersOn(this.database.dataSource).take(change.projectId, () => this.changeAlone(change));
  }

  /**
   * Gives what `change` is expected to give. It reads once, writes nothing and takes no lock.
   * @throws the refusal of the call, except for MethodInUseError: only the database knows the host's foreign keys
   */
  async preview(joined: EntityManager | undefined, projectId: string, decide: Decide): Promise<Done> {
    const { defaultsProjectId } = this.settings;
    // New methods may inherit, so the defaults are read in any case, at the same moment.
    const [own, defaults] = await this.database.read(joined, (manager) =>
      setsOf(manager, [projectId, defaultsProjectId]),
    );
    if (!own) throw new TypeError('A set was asked for.');
    const viewOf = (set: MethodSet): MethodView =>
      MethodView.of(set, projectId === defaultsProjectId ? undefined : defaults);
    const changes = decide(viewOf(own));
    const now = new Date().toISOString();
    const rows = changes.map((change) => expectedRow(change, projectId, now));
    const writtenIds = new Set(rows.map(({ id }) => id));
    const untouched = own.methods.filter(({ id }) => !writtenIds.has(id));
    const after = viewOf({ ...own, methods: untouched.concat(rows.flatMap(({ stored }) => stored ?? [])) });
    return { view: after, changes: changes.map((change) => changeOf(change, after)) };
  }

  /** How the memory of this mount is used. */
  cacheStats(): CacheStats {
    return { ...this.cache.stats(), lookUps: this.lookUps };
  }

  private async changeAlone(change: ProjectChange): Promise<Done> {
    const { projectId, decide, completion } = change;
    const plan = this.planOnCachedView(change) ?? planOn(await this.view(projectId, undefined), decide);
    if (isEmpty(plan, change)) return { view: plan.view, changes: [] };
    const first = this.database.write(
      undefined,
      async (manager) => {
        const revision = randomUUID();
        if (!(await claim(manager, projectId, plan.view.revision, revision))) throw lostRace();
        return this.write(manager, change, plan, revision);
      },
      completion,
    );
    const done = (await first.catch(undefinedIfLost)) ?? (await this.changeInLine(change));
    this.cache.put(done.view);
    return done;
  }

  /** Another process was faster, and may be again. So this call waits for the lock of the project, and then decides. */
  private changeInLine(change: ProjectChange): Promise<Done> {
    return this.database.writeInLine(
      (manager) => this.changeLocked(manager, change, randomUUID()),
      change.completion,
    );
  }

  /**
   * Decides on the cached view, which may be old. If rows are to be written, the claim detects that. A refusal, an empty
   * change and a view that inherits are decided again after a look-up.
   */
  private planOnCachedView(change: ProjectChange): Plan | undefined {
    const view = this.cache.peek(change.projectId);
    if (!view || view.inherits) return undefined;
    try {
      const plan = planOn(view, change.decide);
      return isEmpty(plan, change) ? undefined : plan;
    } catch (error) {
      if (error instanceof ShippingException) return undefined;
      throw error;
    }
  }

  private async changeIn(manager: EntityManager, change: ProjectChange): Promise<Done> {
    const { projectId } = change;
    const plan = await this.planIn(manager, change);
    if (isEmpty(plan, change)) return { view: plan.view, changes: [] };
    const revision = randomUUID();
    if (await claim(manager, projectId, plan.view.revision, revision))
      return this.write(manager, change, plan, revision);
    // The snapshot is older than what another writer has committed.
    if (keepsSnapshot(manager)) throw lostRace();
    return this.changeLocked(manager, change, revision);
  }

  /**
   * Plans on what the transaction sees. Where a transaction keeps a snapshot, it locks the project before it reads, so that
   * the snapshot shows what other writers have committed. The lock needs a row. A call that writes nothing deletes the row
   * that it has added.
   */
  private async planIn(manager: EntityManager, change: ProjectChange): Promise<Plan> {
    const { projectId, decide } = change;
    const added = keepsSnapshot(manager) ? await addProject(manager, projectId) : undefined;
    const view = await this.read(manager, projectId);
    let isWritten = false;
    try {
      const plan = planOn(view, decide);
      isWritten = !isEmpty(plan, change);
      return plan;
    } finally {
      if (!isWritten && added !== undefined && view.revision === added)
        await deleteProject(manager, projectId);
    }
  }

  private async changeLocked(manager: EntityManager, change: ProjectChange, revision: string): Promise<Done> {
    await lock(manager, change.projectId, revision);
    const plan = planOn(await this.read(manager, change.projectId), change.decide);
    return this.write(manager, change, plan, revision);
  }

  private async write(
    manager: EntityManager,
    { removesProject = false }: ProjectChange,
    { view, changes }: Plan,
    revision: string,
  ): Promise<Done> {
    const { projectId } = view;
    const rows = await writeRows(manager, projectId, changes);
    if (removesProject) await deleteProject(manager, projectId);
    const after = removesProject
      ? MethodView.of({ projectId, revision: undefined, methods: [] })
      : (view.with(rows, revision) ?? (await this.read(manager, projectId)));
    return { view: after, changes: changes.map((change) => changeOf(change, after)) };
  }

  private async read(manager: EntityManager, projectId: string): Promise<MethodView> {
    const [own] = await setsOf(manager, [projectId]);
    if (!own) throw new TypeError('A set was asked for.');
    const { defaultsProjectId } = this.settings;
    const inherits = projectId !== defaultsProjectId && own.methods.some((method) => method.use_default);
    if (!inherits) return MethodView.of(own);
    // Read again, because both sets must be of one moment.
    const [inheriting = own, defaults] = await setsOf(manager, [projectId, defaultsProjectId]);
    return MethodView.of(inheriting, defaults);
  }
}

function planOn(view: MethodView, decide: Decide): Plan {
  return { view, changes: decide(view) };
}

/** Nothing is to be written. */
function isEmpty({ view, changes }: Plan, { removesProject = false }: ProjectChange): boolean {
  const hasRow = view.revision !== undefined;
  return changes.length === 0 && !(removesProject && hasRow);
}

/** Rows are deleted first: if your foreign key forbids that, nothing else is written. */
async function writeRows(
  manager: EntityManager,
  projectId: string,
  changes: readonly Change[],
): Promise<WrittenRow[]> {
  const deleted = changes.filter(({ values }) => !values).map(({ id }) => id);
  const inserted = changes.flatMap(({ id, before, values }) => (values && !before ? { id, values } : []));
  const written: WrittenRow[] = deleted.map((id) => ({ id, stored: undefined }));
  const { tableName } = manager.connection.getMetadata(ShippingMethod);
  const refuseAsInUse = (error: unknown): never => {
    throw isReferenced(error, tableName) ? new MethodInUseError(error) : error;
  };
  await deleteMethods(manager, projectId, deleted).catch(refuseAsInUse);
  const updates = changes.flatMap(({ id, before, values }) =>
    before && values ? { id, before, values } : [],
  );
  const updated = await updateMethods(manager, projectId, updates).catch(refuseAsInUse);
  for (const stored of updated) written.push({ id: stored.id, stored });
  for (const stored of await insertMethods(manager, projectId, inserted))
    written.push({ id: stored.id, stored });
  return written;
}

function changeOf({ id, before, values }: Change, after: MethodView): ShippingMethodChange {
  const [was, is] = [before?.dto, values && after.byId(id)?.dto];
  if (was && is) return { type: 'updated', before: was, after: is };
  if (is) return { type: 'created', before: null, after: is };
  if (was) return { type: 'deleted', before: was, after: null };
  throw new Error('A method that was written is not there: a trigger of the database may have removed it.');
}

/**
 * Returns undefined for a race that was lost.
 * @throws any other error
 */
function undefinedIfLost(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailableError) || error.contention !== 'race') throw error;
}
