import { LRUCache } from 'lru-cache';
import { type MethodView } from '../method-view.js';

/** JSON of a view. */
interface Body {
  /** That of the view. */
  tag: string;
  json: Buffer;
}

interface Reading {
  view: Promise<MethodView>;
  since: number;
}

/** What an entry takes beside its content, about. */
const entryBytes = 500;

/** A connection may be silent for ever. Who comes later than this after a reading began does not wait for it. */
const patienceMs = 5000;

/**
 * Keeps views, and never serves one stale. Every write gives its project a new revision in the same transaction. A view
 * was read together with its revision, and is served only to a call that, after it came, has looked up the revision and
 * found the same one. So any number of processes agree without telling each other anything. The least recently used ones
 * make room for others. Views have three quarters of the memory, and JSON has the rest. So a flood of different queries
 * cannot push the views out.
 */
export class ViewCache {
  private readonly views: LRUCache<string, MethodView> | undefined;
  private readonly bodies: LRUCache<string, Body> | undefined;
  private readonly readings = new Map<string, Reading>();

  /**
   * @param isCurrent its query must be sent after it is called
   * @param read reads the view at one moment, after it is called
   * @param maxBytes 0: nothing is kept
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
    // What is being read comes first. Any other reading that is found after the look-up began later than this call.
    const known = this.readingOf(projectId)?.view ?? this.views?.get(projectId);
    if (known) {
      const [isCurrent, view] = await Promise.all([this.isCurrent(projectId), known]);
      if (isCurrent(view)) return view;
    }
    const other = this.readingOf(projectId)?.view;
    return other && other !== known ? other : this.begin(projectId);
  }

  /** What was read last, current or not. */
  peek(projectId: string): MethodView | undefined {
    return this.views?.peek(projectId);
  }

  put(view: MethodView): void {
    this.views?.set(view.projectId, view);
  }

  /** Makes JSON of a view once. */
  body(view: MethodView, name: string, make: () => string): Buffer {
    const key = `${view.projectId} ${name}`;
    const known = this.bodies?.get(key);
    if (known?.tag === view.tag) return known.json;
    // In memory of its own: a slice of Node's pool would keep the whole pool in memory.
    const json = Buffer.from(new TextEncoder().encode(make()).buffer);
    this.bodies?.set(key, { tag: view.tag, json });
    return json;
  }

  private readingOf(projectId: string): Reading | undefined {
    const reading = this.readings.get(projectId);
    return reading && performance.now() - reading.since < patienceMs ? reading : undefined;
  }

  private async begin(projectId: string): Promise<MethodView> {
    const reading = { view: this.read(projectId), since: performance.now() };
    this.readings.set(projectId, reading);
    try {
      const view = await reading.view;
      if (this.readings.get(projectId) === reading) this.put(view);
      return view;
    } finally {
      if (this.readings.get(projectId) === reading) this.readings.delete(projectId);
    }
  }
}
