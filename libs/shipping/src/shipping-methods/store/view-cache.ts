import { LRUCache } from 'lru-cache';
import { type MethodView, type Revisions } from '../method-view.js';
import { type Rendering } from '../rendering.js';

/** A view in the cache, with what was rendered from it. */
interface CachedView {
  readonly view: MethodView;
  /** The renderings by their names, oldest first. */
  readonly renderings: Map<string, Rendering>;
  /** The bytes of the view and of its renderings. */
  bytes: number;
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
   * Calls that got a view from memory after a look-up, or from a read that another call had started. Calls in
   * transactions are not counted.
   */
  hits: number;
  /** Calls that read the methods of a project from the database. */
  misses: number;
  /** Statements that asked whether the memory is current. One statement asks for all calls that arrive together. */
  lookUps: number;
}

/** The renderings of a view may take as many bytes as the view, and at least these. */
const minRoom = 64 * 1024;

/** An estimate of the bytes that a rendering takes in addition to its JSON and its name. */
const renderingBytes = 500;

/**
 * A call that arrives later than this after a read started does not wait for that read, because its statement may never
 * return. The call starts a read of its own.
 */
const maxSharedReadMs = 5000;

/**
 * Keeps views in memory, and never serves a stale one. Every write gives its project a new revision in the same
 * transaction, and a view is read together with its revision. Each call looks up the current revision after it has
 * arrived, and gets a cached view only if the revisions are equal. So processes do not have to notify each other.
 *
 * The least recently used projects are removed first. The renderings of a project are bounded, too: the oldest go
 * first, so many different queries cannot push the views of other projects out.
 */
export class ViewCache {
  private readonly views: LRUCache<string, CachedView> | undefined;
  /** A project that needs more is never cached. */
  private readonly maxProjectBytes: number;
  private readonly reads = new Map<string, SharedRead>();
  private hits = 0;
  private misses = 0;

  /**
   * @param lookUp looks up the revisions of a project with a query that starts after this call
   * @param read reads the view with a query that starts after this call
   * @param maxBytes 0 turns the cache off
   */
  constructor(
    private readonly lookUp: (projectId: string) => Promise<Revisions>,
    private readonly read: (projectId: string) => Promise<MethodView>,
    maxBytes: number,
  ) {
    this.maxProjectBytes = Math.floor((maxBytes * 3) / 4);
    if (this.maxProjectBytes === 0) return;
    this.views = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: this.maxProjectBytes,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  async get(projectId: string): Promise<MethodView> {
    // A read that runs now may have started too early, so its view is compared with the look-up, like a cached one.
    const candidate = this.sharedRead(projectId)?.view ?? this.views?.get(projectId)?.view;
    if (candidate) {
      const revisions = await this.lookUp(projectId);
      const view = await candidate;
      if (view.isAt(revisions)) {
        this.hits += 1;
        return view;
      }
    }
    // Any other read that runs now started after this call, so its view is current.
    const laterView = this.sharedRead(projectId)?.view;
    if (!laterView || laterView === candidate) return this.startRead(projectId);
    this.hits += 1;
    return laterView;
  }

  put(view: MethodView): void {
    this.views?.set(view.projectId, { view, renderings: new Map(), bytes: view.bytes });
  }

  /** Returns what `render` makes from a view. It is made once for each view. */
  rendering(view: MethodView, name: string, render: () => Rendering): Rendering {
    const cachedView = this.views?.peek(view.projectId);
    if (cachedView?.view !== view) return render();
    const rendering = cachedView.renderings.get(name) ?? render();
    if (!cachedView.renderings.has(name)) this.keep(cachedView, name, rendering);
    return rendering;
  }

  stats(): Omit<CacheStats, 'lookUps'> {
    const { views, hits, misses } = this;
    return { bytes: views?.calculatedSize ?? 0, entries: views?.size ?? 0, hits, misses };
  }

  private keep(cachedView: CachedView, name: string, rendering: Rendering): void {
    const { view, renderings } = cachedView;
    const room = Math.min(this.maxProjectBytes - view.bytes, Math.max(view.bytes, minRoom));
    const bytes = bytesOf(name, rendering);
    if (bytes > room) return;
    renderings.set(name, rendering);
    cachedView.bytes += bytes;
    for (const [oldName, old] of renderings) {
      if (cachedView.bytes <= view.bytes + room) break;
      renderings.delete(oldName);
      cachedView.bytes -= bytesOf(oldName, old);
    }
    // The LRU asks for the size of a value only when the value is new.
    this.views?.delete(view.projectId);
    this.views?.set(view.projectId, cachedView);
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

function bytesOf(name: string, { json }: Rendering): number {
  return renderingBytes + 2 * name.length + json.length;
}
