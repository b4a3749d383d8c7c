import { firstOf } from '../database/patience.js';

/** What is sent for a read, made under one state of the data. */
export interface Answer {
  /** Another word after each change of what the answer shows. */
  validator: string;
  /** null: too large to be held whole. */
  body: Buffer | null;
}

interface Entry {
  answer: Promise<Answer>;
  bytes: number;
}

/** What an entry takes beside its key and body, about. */
const entryBytes = 500;

/** An answer that takes more than this part of all that is kept would put out too many others. */
const maxShare = 1 / 8;

/** Long enough for every read of a database that is well. */
const patienceMs = 5000;
const maxPatienceMs = 3_600_000;

/**
 * Answers that are kept, and yet never stale: each was made by one statement together with its validator, and
 * is sent again only to a request that has looked the validator up since it came and found the same. So any
 * number of processes agree without telling each other anything. Kept up to a number of bytes, the least
 * recently used go first.
 */
export class CurrentAnswers {
  /** Least recently used first; those still in the making stand here too. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  /** @param validatorOf its query must be sent after it is called */
  constructor(
    private readonly validatorOf: (projectId: string) => Promise<string>,
    private readonly maxBytes: number,
  ) {}

  /**
   * @param name of the answer, unique in its project
   * @param make reads the data and its validator at one moment, after it is called
   */
  async get(projectId: string, name: string, make: () => Promise<Answer>): Promise<Answer> {
    const key = `${projectId} ${name}`;
    const known = this.entries.get(key);
    if (known) {
      const [validator, answer] = await Promise.all([this.validatorOf(projectId), known.answer]);
      if (answer.validator === validator) {
        this.touch(key, known);
        return answer;
      }
    }
    // What has taken its place meanwhile was asked for after this request came.
    const newer = this.entries.get(key);
    return newer && newer !== known ? newer.answer : this.make(key, make);
  }

  private async make(key: string, make: () => Promise<Answer>): Promise<Answer> {
    this.remove(key);
    const entry: Entry = { answer: madeSoon(make), bytes: 0 };
    this.entries.set(key, entry);
    try {
      const answer = await entry.answer;
      if (this.entries.get(key) === entry) this.keep(key, entry, answer);
      return answer;
    } catch (error) {
      if (this.entries.get(key) === entry) this.remove(key);
      throw error;
    }
  }

  private keep(key: string, entry: Entry, { body }: Answer): void {
    entry.bytes = entryBytes + 2 * key.length + (body?.length ?? 0);
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
 * A connection may be silent for ever, and all who want the answer wait for it: then it is made once more, on
 * another connection. Each time the patience is twice as long, so that a slow database gets few of these.
 */
async function madeSoon(make: () => Promise<Answer>): Promise<Answer> {
  const makings: Promise<Answer>[] = [];
  for (let patience = patienceMs; ; patience = Math.min(2 * patience, maxPatienceMs)) {
    makings.push(make());
    const answer = await firstOf(makings, patience);
    if (answer) return answer;
  }
}
