import { firstOf } from '../storage/first-of.js';

/** JSON that was read at one revision of its project. */
export interface CachedJson {
  revision: string;
  body: Buffer;
}

interface Entry {
  json: Promise<CachedJson>;
  bytes: number;
}

/** What an entry takes beside its key and body, about. */
const entryBytes = 500;

/** A larger part of the cache for one entry would remove too many others. */
const maxShare = 1 / 8;

/** Long enough for every read of a database that is well. */
const patienceMs = 5000;
const maxPatienceMs = 3_600_000;

/**
 * Keeps JSON and never serves it stale. Every write bumps the revision of its project in the same statement, and a
 * revision covers the defaults that the project uses. Each entry was read by one statement together with its revision.
 * It is served only to a request that has looked the revision up since it came, and found the same one. So any number of
 * processes agree without telling each other anything. The least recently used entries make room for others.
 */
export class JsonCache {
  /** Least recently used first. Those that are still being made are here too. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  /** @param revisionOf its query must be sent after it is called */
  constructor(
    private readonly revisionOf: (projectId: string) => Promise<string>,
    private readonly maxBytes: number,
  ) {}

  /**
   * @param name unique in its project
   * @param make reads the data and its revision at one moment, after it is called
   */
  async get(projectId: string, name: string, make: () => Promise<CachedJson>): Promise<CachedJson> {
    const key = `${projectId} ${name}`;
    const known = this.entries.get(key);
    if (known) {
      const [revision, json] = await Promise.all([this.revisionOf(projectId), known.json]);
      if (json.revision === revision) {
        this.touch(key, known);
        return json;
      }
    }
    // A newer entry was asked for after this request came.
    const newer = this.entries.get(key);
    return newer && newer !== known ? newer.json : this.make(key, make);
  }

  private async make(key: string, make: () => Promise<CachedJson>): Promise<CachedJson> {
    this.remove(key);
    const entry: Entry = { json: madeSoon(make), bytes: 0 };
    this.entries.set(key, entry);
    try {
      const json = await entry.json;
      if (this.entries.get(key) === entry) this.keep(key, entry, json);
      return json;
    } catch (error) {
      if (this.entries.get(key) === entry) this.remove(key);
      throw error;
    }
  }

  private keep(key: string, entry: Entry, { body }: CachedJson): void {
    entry.bytes = entryBytes + 2 * key.length + body.length;
    this.bytes += entry.bytes;
    if (entry.bytes > this.maxBytes * maxShare) this.remove(key);
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.maxBytes) break;
      this.remove(oldest);
    }
  }

  private touch(key: string, entry: Entry): void {
    if (this.entries.get(key) !== entry) return;
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private remove(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}

/**
 * A connection may be silent for ever, and all who want this entry would wait for it. So it is made once more, on
 * another connection. The patience doubles each time, so that a slow database gets few of these.
 */
async function madeSoon(make: () => Promise<CachedJson>): Promise<CachedJson> {
  const makings: Promise<CachedJson>[] = [];
  for (let patience = patienceMs; ; patience = Math.min(2 * patience, maxPatienceMs)) {
    makings.push(make());
    const made = await firstOf(makings, patience);
    if (made) return made;
  }
}
