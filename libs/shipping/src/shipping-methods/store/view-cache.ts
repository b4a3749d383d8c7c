import { LRUCache } from 'lru-cache';
import { type MethodView } from '../method-view.js';

/** The JSON of one answer. */
interface Body {
  /** The tag of the view that it was made from. */
  tag: string;
  json: Buffer;
}

/** A read of a view from the database. All calls that arrive while it runs can share it. */
interface SharedRead {
  view: Promise<MethodView>;
  startedAt: number;
}

/** How one mount uses its memory. The three counters begin at its start. */
export interface CacheStats {
  /** The bytes in use now, out of `cache.maxBytes`. */
  bytes: number;
  /** The number of projects in memory now. */
  entries: number;
  /**
   * Calls that were answered from memory after a look-up, or from a read that another call had started. Calls in
   * transactions are not counted.
   */
  hits: number;
  /** Calls that read the methods of a project from the database. */
  misses: number;
  /** Statements that asked whether the memory is current. One statement asks for all calls that arrive together. */
  lookUps: number;
}

/** An estimate of the bytes that the cache needs for an entry in addition to its content. */
const entryBytes = 500;

/**
 * A call that arrives later than this after a read started does not wait for that read, because its connection may never
 * answer. The call starts a read of its own.
 */
const maxSharedReadMs = 5000;

/**
 * Keeps views in memory, and never serves a stale one. Every write gives its project a new revision in the same
 * transaction, and a view is read together with its revision. Each call looks up the current revision after it has
 * arrived, and gets a cached view only if the revisions are equal. So processes do not have to notify each other.
 *
 * The least recently used entries are removed first. Views have three quarters of the memory, and JSON has the rest, so
 * many different queries cannot push the views out.
 */
export class ViewCache {
  private readonly views: LRUCache<string, MethodView> | undefined;
  private readonly bodies: LRUCache<string, Body> | undefined;
  private readonly reads = new Map<string, SharedRead>();
  private hits = 0;
  private misses = 0;

  /**
   * @param isCurrent looks up the revisions of a project with a query that starts after this call
   * @param read reads the view with a query that starts after this call
   * @param maxBytes 0 turns the cache off
   */
  constructor(
    private readonly isCurrent: (projectId: string) => Promise<(view: MethodView) => boolean>,
    private readonly read: (projectId: string) => Promise<MethodView>,
    maxBytes: number,
  ) {
    const bodyBytes = Math.floor(maxBytes / 4);
    if (bodyBytes === 0) return;
    this.views = new LRUCache({ maxSize: maxBytes - bodyBytes, sizeCalculation: ({ bytes }) => bytes });
    this.bodies = new LRUCache({
      maxSize: bodyBytes,
      sizeCalculation: ({ json }, key) => entryBytes + 2 * key.length + json.length,
    });
  }

  async get(projectId: string): Promise<MethodView> {
    // A read that runs now started before this call. So its view may be old, and is compared with the look-up, too.
    const candidate = this.sharedRead(projectId)?.view ?? this.views?.get(projectId);
    if (candidate) {
      const [isCurrent, view] = await Promise.all([this.isCurrent(projectId), candidate]);
      if (isCurrent(view)) {
        this.hits += 1;
        return view;
      }
    }
    // Another read that runs now started after this call, so its view is current.
    const laterView = this.sharedRead(projectId)?.view;
    if (!laterView || laterView === candidate) return this.startRead(projectId);
    this.hits += 1;
    return laterView;
  }

  put(view: MethodView): void {
    this.views?.set(view.projectId, view);
  }

  /** Returns the JSON of an answer. It is made once for each view. */
  body(view: MethodView, name: string, make: () => string): Buffer {
    const key = `${view.projectId} ${name}`;
    const cachedBody = this.bodies?.get(key);
    if (cachedBody?.tag === view.tag) return cachedBody.json;
    // The buffer has memory of its own. A slice of Node's shared pool would keep the whole pool in memory.
    const json = Buffer.from(new TextEncoder().encode(make()).buffer);
    this.bodies?.set(key, { tag: view.tag, json });
    return json;
  }

  stats(): Omit<CacheStats, 'lookUps'> {
    const { views, bodies, hits, misses } = this;
    const bytes = (views?.calculatedSize ?? 0) + (bodies?.calculatedSize ?? 0);
    return { bytes, entries: views?.size ?? 0, hits, misses };
  }

  private sharedRead(projectId: string): SharedRead | undefined {
    const read = this.reads.get(projectId);
    return read && performance.now() - read.startedAt < maxSharedReadMs ? read : undefined;
  }

  private async startRead(projectId: string): Promise<MethodView> {
    this.misses += 1;
    const read = { view: this.read(projectId), startedAt: performance.now() };
    this.reads.set(projectId, read);
    try {
      const view = await read.view;
      if (this.reads.get(projectId) === read) this.put(view);
      return view;
    } finally {
      if (this.reads.get(projectId) === read) this.reads.delete(projectId);
    }
  }
}
