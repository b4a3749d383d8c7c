import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Batcher } from '../../database/batcher.js';
import { Database } from '../../database/database.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../database/database.errors.js';
import { KeyedQueue } from '../../database/keyed-queue.js';
import { onePerDataSource } from '../../database/one-per-data-source.js';
import { isForeignKeyViolation } from '../../database/engines/connection-errors.js';
import { keepsSnapshot } from '../../database/engines/engine.js';
import { MethodSettings } from '../method-settings.js';
import { ShippingException } from '../../problems/shipping.exception.js';
import { type ShippingMethodChange } from '../dto/shipping-method.dto.js';
import { type Change, type Decide, removalOfAll } from '../method-changes.js';
import { codesOf } from '../method-fields.js';
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
  updateMethod,
} from './method-rows.js';
import { type MethodSet, MethodView, type Revisions, tagOf, type WrittenRow } from '../method-view.js';
import { MethodInUseError } from '../shipping-methods.errors.js';
import { ViewCache } from './view-cache.js';

/** What a call has done. */
export interface Done {
  /** The project after it. */
  view: MethodView;
  changes: readonly ShippingMethodChange[];
}

/** Runs before the COMMIT, on the manager of the transaction. */
export type BeforeCommit = (
  changes: readonly ShippingMethodChange[],
  manager: EntityManager,
) => Promise<void>;

/** How many projects one statement reads: each may have thousands of methods. */
const maxSets = 8;

interface Plan {
  view: MethodView;
  changes: readonly Change[];
}

/**
 * Outside of the callers' transactions, the writers of a project wait here, and not each with a connection. All mounts
 * share it: the `onChange` of one may call the services of another, and would wait for itself at the row of the project.
 */
const queueOn = onePerDataSource(() => new KeyedQueue());

/**
 * The methods of each project, as one set. A change is decided on a view, and written only if the project still has the
 * revision of that view.
 */
@Injectable()
export class MethodStore {
  private readonly revisions: Batcher<string, Revisions>;
  private readonly cache: ViewCache;
  /** Shared by all cached views that were read at its revision. */
  private defaults: MethodSet | undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(MethodSettings) private readonly settings: MethodSettings,
  ) {
    this.revisions = new Batcher((ids) =>
      database.read(undefined, (manager) => revisionsOf(manager, ids, settings.defaultsProjectId)),
    );
    const setsAlone = (ids: string[]): Promise<MethodSet[]> =>
      database.read(undefined, (manager) => setsOf(manager, ids));
    const sets = new Batcher(setsAlone, maxSets);
    this.cache = new ViewCache(
      async (projectId) => {
        const now = await this.revisions.join(projectId);
        return ({ tag, inherits }) => tag === tagOf(now, inherits);
      },
      async (projectId) => this.viewOf(await sets.join(projectId), setsAlone, (set) => this.shared(set)),
      settings.cacheBytes,
    );
  }

  /** A project as it is now. What a transaction reads is not kept: others must not see it. */
  view(projectId: string, joined: EntityManager | undefined): Promise<MethodView> {
    if (!joined) return this.cache.get(projectId);
    return this.database.read(joined, (manager) => this.read(manager, projectId));
  }

  /** The defaults, for a change of this project. Its lock comes before the first read, as in each change. */
  async defaultsFor(projectId: string, joined: EntityManager | undefined): Promise<MethodView> {
    if (joined && keepsSnapshot(joined))
      await this.database.write(joined, (manager) => addProject(manager, projectId));
    return this.view(this.settings.defaultsProjectId, joined);
  }

  /** JSON of a view, made once. */
  body(view: MethodView, name: string, make: () => string): Buffer {
    return this.cache.body(view, name, make);
  }

  /** @throws the refusal of the call; DatabaseUnavailableError, OutcomeUnknownError */
  change(
    projectId: string,
    joined: EntityManager | undefined,
    decide: Decide,
    beforeCommit: BeforeCommit,
  ): Promise<Done> {
    if (joined)
      return this.database.write(
        joined,
        (manager) => this.changeIn(manager, projectId, decide),
        told(beforeCommit),
      );
    const queue = queueOn(this.database.dataSource);
    return queue.take(projectId, () => this.changeAlone(projectId, decide, beforeCommit));
  }

  /** Removes all methods of a project, and its row. @returns what was removed */
  async remove(
    projectId: string,
    joined: EntityManager | undefined,
    beforeCommit: BeforeCommit,
  ): Promise<readonly ShippingMethodChange[]> {
    const { view, changes } = await this.change(projectId, joined, removalOfAll, beforeCommit);
    const { revision } = view;
    if (revision === undefined) return changes;
    const isCommitted = changes.length > 0 && !joined?.queryRunner?.isTransactionActive;
    await this.database
      .append(joined, (manager) => deleteProject(manager, projectId, revision))
      .catch(isCommitted ? undefinedIfUnavailable : rethrow);
    return changes;
  }

  private async changeAlone(projectId: string, decide: Decide, beforeCommit: BeforeCommit): Promise<Done> {
    const plan = this.planUnseen(projectId, decide) ?? planOn(await this.view(projectId, undefined), decide);
    if (plan.changes.length === 0) return { view: plan.view, changes: [] };
    const done =
      (await this.database
        .write(
          undefined,
          async (manager) => {
            const revision = randomUUID();
            if (!(await claim(manager, projectId, plan.view.revision, revision))) throw lostRace();
            return this.write(manager, plan, revision);
          },
          told(beforeCommit),
        )
        .catch(undefinedIfLost)) ??
      // Another process was faster, and may be again. So this one gets in line.
      (await this.database.write(
        undefined,
        async (manager) => {
          const revision = randomUUID();
          await lock(manager, projectId, revision);
          const second = planOn(await this.read(manager, projectId), decide);
          return this.write(manager, second, revision);
        },
        told(beforeCommit),
      ));
    this.cache.put(done.view);
    return done;
  }

  /**
   * A plan on a view that may be old: the claim finds that out. A call that writes nothing makes no claim, and a claim does
   * not guard the defaults. Those calls look up the revisions first.
   */
  private planUnseen(projectId: string, decide: Decide): Plan | undefined {
    const view = this.cache.peek(projectId);
    if (!view || view.inherits) return undefined;
    try {
      const plan = planOn(view, decide);
      return plan.changes.length > 0 ? plan : undefined;
    } catch (error) {
      if (error instanceof ShippingException) return undefined;
      throw error;
    }
  }

  private async changeIn(manager: EntityManager, projectId: string, decide: Decide): Promise<Done> {
    // The lock comes before the first read, so that the snapshot shows what the other writers have committed.
    if (keepsSnapshot(manager)) await addProject(manager, projectId);
    const plan = planOn(await this.read(manager, projectId), decide);
    if (plan.changes.length === 0) return { view: plan.view, changes: [] };
    const revision = randomUUID();
    if (await claim(manager, projectId, plan.view.revision, revision))
      return this.write(manager, plan, revision);
    // The snapshot is older than what another writer has committed.
    if (keepsSnapshot(manager)) throw lostRace();
    await lock(manager, projectId, revision);
    const second = planOn(await this.read(manager, projectId), decide);
    return this.write(manager, second, revision);
  }

  private async write(manager: EntityManager, { view, changes }: Plan, revision: string): Promise<Done> {
    const rows = await writeRows(manager, view.projectId, changes).catch((error: unknown) => {
      // Some of the rows may be written.
      if (changes.length > 1) this.database.refuse(manager);
      throw error;
    });
    const after = view.with(rows, revision) ?? (await this.read(manager, view.projectId));
    return { view: after, changes: changes.map((change) => changeOf(change, after)) };
  }

  private async read(manager: EntityManager, projectId: string): Promise<MethodView> {
    const [own] = await setsOf(manager, [projectId]);
    if (!own) throw new TypeError('A set was asked for.');
    return this.viewOf(own, (ids) => setsOf(manager, ids));
  }

  /** @param share gives the set of the defaults that the view is to use, of the same revision */
  private async viewOf(
    own: MethodSet,
    sets: (ids: string[]) => Promise<MethodSet[]>,
    share = (defaults: MethodSet): MethodSet => defaults,
  ): Promise<MethodView> {
    const { defaultsProjectId } = this.settings;
    const { projectId } = own;
    const inherits = projectId !== defaultsProjectId && own.methods.some((method) => method.use_default);
    if (!inherits) return MethodView.of(own);
    // Both at one moment.
    const [inheriting = own, defaults] = await sets([projectId, defaultsProjectId]);
    return MethodView.of(inheriting, defaults && share(defaults));
  }

  /** Never for what a transaction reads: it may see changes that have no revision yet, or are rolled back. */
  private shared(defaults: MethodSet): MethodSet {
    if (this.defaults?.revision !== defaults.revision) this.defaults = defaults;
    return this.defaults ?? defaults;
  }
}

/** What the host wants to know of changes before their COMMIT. */
function told(beforeCommit: BeforeCommit) {
  return ({ changes }: Done, manager: EntityManager) => beforeCommit(changes, manager);
}

function planOn(view: MethodView, decide: Decide): Plan {
  return { view, changes: decide(view) };
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
  await deleteMethods(manager, projectId, deleted).catch(refuseAsInUse);
  for (const { before, values } of changes) {
    if (!before || !values) continue;
    const changesCodes = codesOf(before.stored) !== codesOf(values);
    const stored = await updateMethod(manager, before.stored, values).catch(
      changesCodes ? refuseAsInUse : rethrow,
    );
    written.push({ id: stored.id, stored });
  }
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

/** @returns undefined for a race that was lost @throws any other error */
function undefinedIfLost(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailableError) || error.contention !== 'race') throw error;
}

/** For a row without methods that is to be deleted: it does no harm, and the next removal of its project deletes it. */
function undefinedIfUnavailable(error: unknown): undefined {
  const isUnavailable = error instanceof DatabaseUnavailableError || error instanceof OutcomeUnknownError;
  if (!isUnavailable) throw error;
}

function refuseAsInUse(error: unknown): never {
  throw isForeignKeyViolation(error) ? new MethodInUseError(error) : error;
}

function rethrow(error: unknown): never {
  throw error;
}
