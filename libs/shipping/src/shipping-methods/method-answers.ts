import { Inject } from '@nestjs/common';
import { type Answer, CurrentAnswers } from '../answers/current-answers.js';
import { Batches } from '../database/batches.js';
import { type CallOptions, Database, forMany } from '../database/database.js';
import { ShippingSettings } from '../shipping.options.js';
import { int32 } from '../validation/rules.js';
import { type CheckedListQuery } from './list-query.check.js';
import { largeTree, type LargeTree, TreeChangedError } from './large-tree.js';
import { MethodReads } from './method-reads.js';

/** A tree of more methods is sent in pieces (see `largeTree`). */
const maxWholeTree = 1000;

const allActive: CheckedListQuery = {
  page: 1,
  perPage: int32.max,
  words: [],
  groups: [[{ field: 'is_active', op: 'eq', values: [true] }]],
};

/** What the routes and the services answer reads of methods with: JSON, current, and made only when it must be. */
export class MethodAnswers {
  private readonly validators = new Batches((projectIds: string[]) =>
    this.reads.validators(projectIds, forMany),
  );
  private readonly answers: CurrentAnswers;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(MethodReads) private readonly reads: MethodReads,
    @Inject(ShippingSettings) { cacheBytes }: ShippingSettings,
  ) {
    this.answers = new CurrentAnswers((projectId) => this.validators.join(projectId), cacheBytes);
  }

  /** Another word after each change of what is shown of the project. */
  async validator(projectId: string): Promise<string> {
    if (!this.database.isCallers({})) return this.validators.join(projectId);
    // On the connection of the ambient transaction: a second one may never come.
    const [word = ''] = await this.reads.validators([projectId], {});
    return word;
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
      const { validator, total, text } = await this.reads.page(projectId, checked, shared);
      const { page, perPage } = checked;
      const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
      return whole(validator, `{"data":[${text}],"meta":${JSON.stringify(meta)}}`);
    });
  }

  /** The body is null when the tree is a large one: then take `wholeTree`, or `largeTree`. */
  tree(projectId: string, options: CallOptions = {}): Promise<Answer> {
    return this.current(projectId, 'tree', options, async (shared) => {
      const { validator, total, text } = await this.reads.tree(projectId, maxWholeTree, shared);
      return total > maxWholeTree ? { validator, body: null } : whole(validator, `{"data":[${text}]}`);
    });
  }

  /** A tree of any size, for a caller who holds it whole in any case. */
  async wholeTree(projectId: string, options: CallOptions): Promise<Answer> {
    const { validator, text } = await this.reads.tree(projectId, int32.max, options);
    return whole(validator, `{"data":[${text}]}`);
  }

  /** A tree of any size in pieces; whole, where writers do not leave the time to begin it. */
  async largeTree(projectId: string): Promise<LargeTree | Answer> {
    for (let tries = 0; tries < 3; tries++) {
      try {
        return await largeTree(this.reads, projectId);
      } catch (error) {
        if (!(error instanceof TreeChangedError)) throw error;
      }
    }
    return this.wholeTree(projectId, {});
  }

  /** The active methods, as one page. */
  active(projectId: string, options: CallOptions = {}): Promise<Answer> {
    return this.page(projectId, 'active', () => allActive, options);
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

/** In memory of its own size: a slice of Node's pool would keep all of the pool. */
function whole(validator: string, json: string): Answer {
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  body.write(json);
  return { validator, body };
}
