import { LRUCache } from 'lru-cache';
import { type MethodView, type Revisions } from '../method-view.js';
import { type Rendering } from '../../http/response.js';

/** How one mount uses its memory. The three counters begin at its start. */
export interface ShippingCacheStats {
  /** The bytes in use now, out of `cache.maxBytes`. */
  readonly bytes: number;
  /** The number of projects in memory now. */
  readonly projects: number;
  /** Calls that got a view from memory after a look-up. Calls in transactions are not counted. */
  readonly hits: number;
  /** Calls that needed the methods of a project from the database. */
  readonly misses: number;
  /** Statements that asked whether the memory is current. One statement asks for all calls that arrive together. */
  readonly revisionQueries: number;
}

/** An estimate of the bytes that a rendering takes in addition to its JSON and its key. */
const renderingBytes = 500;

/**
 * Keeps views in memory, and never serves a stale one. Every write gives its project a new revision in the same
 * transaction, and a view is read together with its revision. Each call looks up the current revision after it has
 * arrived, and gets a cached view only if the revisions are equal. So processes do not have to notify each other.
 *
 * Three quarters of the memory are for views, and one quarter is for renderings. In both, the least recently used ones
 * are removed first.
 */
export class ViewCache {
  private readonly views: LRUCache<string, MethodView> | undefined;
  private readonly renderings: LRUCache<string, Rendering> | undefined;
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
    const bytesOfRenderings = Math.floor(maxBytes / 4);
    if (bytesOfRenderings === 0) return;
    this.views = new LRUCache({
      maxSize: maxBytes - bytesOfRenderings,
      sizeCalculation: ({ bytes }) => bytes,
    });
    this.renderings = new LRUCache({
      maxSize: bytesOfRenderings,
      sizeCalculation: ({ json }, key) => renderingBytes + 2 * key.length + json.length,
    });
  }

  async get(projectId: string): Promise<MethodView> {
    if (this.views?.has(projectId)) {
      const revisions = await this.lookUp(projectId);
      const view = this.views.get(projectId);
      if (view?.isAt(revisions)) {
        this.hits += 1;
        return view;
      }
    }
    this.misses += 1;
    const view = await this.read(projectId);
    this.put(view);
    return view;
  }

  put(view: MethodView): void {
    this.views?.set(view.projectId, view);
  }

  /**
   * Returns what `render` makes from a view. It is made once for each tag and name, because the tag identifies the
   * content of the view.
   */
  rendering(view: MethodView, name: string, render: () => Rendering): Rendering {
    const key = `${view.projectId} ${view.tag} ${name}`;
    const cached = this.renderings?.get(key);
    if (cached) return cached;
    const rendering = render();
    this.renderings?.set(key, rendering);
    return rendering;
  }

  stats(): Omit<ShippingCacheStats, 'revisionQueries'> {
    const { views, renderings, hits, misses } = this;
    const bytes = (views?.calculatedSize ?? 0) + (renderings?.calculatedSize ?? 0);
    return { bytes, projects: views?.size ?? 0, hits, misses };
  }
}
