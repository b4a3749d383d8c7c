import { type Answer, CurrentAnswers } from '../answers/current-answers.js';
import { Batches } from '../database/batches.js';
import { type CallOptions, type Database, forMany } from '../database/database.js';
import { neverWritten } from '../database/revision.js';
import { type ShippingSettings } from '../shipping.options.js';
import { int32 } from '../validation/rules.js';
import { CheckedListQuery } from './list-query.check.js';
import { largeTree } from './large-tree.js';
import { MethodReads, type MethodsText } from './method-reads.js';
import { treeJson } from './tree.js';

/** A tree of more methods is sent in pieces (see `largeTree`). */
const maxWholeTree = 1000;

const allActive = new CheckedListQuery(
  1,
  int32.max,
  [],
  [[{ field: 'is_active', op: 'eq', values: [true] }]],
);

/** What the routes and the services answer reads of methods with: JSON, current, and made only when it must be. */
export class MethodAnswers {
  private readonly reads: MethodReads;
  private readonly validators: Batches<string, string>;
  private readonly answers: CurrentAnswers;

  constructor(
    private readonly database: Database,
    { defaultsProjectId, cacheBytes }: ShippingSettings,
  ) {
    this.reads = new MethodReads(database, defaultsProjectId);
    this.validators = new Batches((projectIds) => this.reads.validators(projectIds, forMany));
    this.answers = new CurrentAnswers((projectId) => this.validators.join(projectId), cacheBytes);
  }

  async validator(projectId: string, options: CallOptions = {}): Promise<string> {
    if (!this.database.isCallers(options)) return this.validators.join(projectId);
    return (await this.reads.validators([projectId], options))[0] ?? neverWritten;
  }

  /**
   * @param name of the query among those of the project
   * @param query called only when the answer has to be made
   */
  page(
    projectId: string,
    name: string,
    query: () => CheckedListQuery,
    options: CallOptions = {},
  ): Promise<Answer> {
    return this.current(projectId, `list ${name}`, options, async (shared) => {
      const checked = query();
      const { validator, total, found } = await this.reads.page(projectId, checked, shared);
      const { page, perPage } = checked;
      const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
      return whole(validator, `{"data":[${textOf(found)}],"meta":${JSON.stringify(meta)}}`);
    });
  }

  /** The body is null when the tree is a large one: then take `largeTree`, or `wholeTree`. */
  tree(projectId: string, options: CallOptions = {}): Promise<Answer> {
    return this.current(projectId, 'tree', options, async (shared) => {
      const { validator, total, found } = await this.reads.tree(projectId, maxWholeTree, shared);
      return total > maxWholeTree ? { validator, body: null } : whole(validator, treeJson(found));
    });
  }

  /** A tree of any size, for a caller who holds it whole in any case. */
  async wholeTree(projectId: string, options: CallOptions): Promise<Answer> {
    const { validator, found } = await this.reads.tree(projectId, int32.max, options);
    return whole(validator, treeJson(found));
  }

  /** Pieces of the JSON of a tree of any size. @throws TreeChangedError */
  largeTree(projectId: string): AsyncGenerator<string, void, undefined> {
    return largeTree(this.reads, projectId);
  }

  /** The active methods in list order: an array, without a page around it. */
  active(projectId: string, options: CallOptions = {}): Promise<Answer> {
    return this.current(projectId, 'active', options, async (shared) => {
      const { validator, found } = await this.reads.page(projectId, allActive, shared);
      return whole(validator, `[${textOf(found)}]`);
    });
  }

  /** What a transaction reads of its own is nobody else's. */
  private current(
    projectId: string,
    name: string,
    options: CallOptions,
    make: (options: CallOptions) => Promise<Answer>,
  ): Promise<Answer> {
    return this.database.isCallers(options)
      ? make(options)
      : this.answers.get(projectId, name, () => make(forMany));
  }
}

/** Of the methods of a page; none were found where there is none. */
function textOf([methods]: readonly MethodsText[]): string {
  return methods?.text ?? '';
}

/** In memory of its own size: a slice of Node's pool would keep all of the pool. */
function whole(validator: string, json: string): Answer {
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  body.write(json);
  return { validator, body };
}
