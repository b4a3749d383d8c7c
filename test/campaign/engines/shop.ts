import {
  type OrderEvents,
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethods,
} from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';
import { type EngineHost } from '../../engines/host.js';

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const wireTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** One engine in one run of calls. What may differ between engines gets a name here: ids, times, ETags. */
export class Shop {
  readonly methods: ShippingMethods;
  readonly events: OrderEvents;
  readonly dataSource: DataSource;
  /** The transaction in which the calls run, if any. */
  manager?: EntityManager;
  /** Methods as they were last shown, in the order of their first appearance. */
  readonly known = new Map<string, ShippingMethodDto>();
  /** The ETags of lists and trees, by path. */
  readonly held = new Map<string, string[]>();
  private readonly tags = new Map<string, string[]>();
  private readonly names = new Map<string, string>();
  private readonly created = new Map<string, string>();
  private updated = new Map<string, string>();
  private readonly told: ShippingMethodChange[] = [];

  constructor(
    readonly host: EngineHost,
    /** Two tenants, and then the project of their defaults. */
    readonly projects: readonly string[],
  ) {
    this.methods = host.methods;
    this.events = host.events;
    this.dataSource = host.dataSource;
  }

  /** @returns a function that ends it */
  hearChanges(): () => void {
    const heard = this.methods.changes.subscribe((change) => this.told.push(change));
    return () => heard.unsubscribe();
  }

  project(index: number): string {
    return this.projects[index] ?? '';
  }

  /** The method of a project at this index, modulo their number. */
  method(project: string, index: number): ShippingMethodDto | undefined {
    const own = [...this.known.values()].filter((method) => method.project_id === project);
    return own[index % Math.max(own.length, 1)];
  }

  /** Runs calls whose changes may be undone. @returns a function that forgets them */
  savepoint(): () => void {
    const updated = new Map(this.updated);
    return () => {
      this.updated = updated;
    };
  }

  /** The changes that were reported since the last call of this. */
  heard(): unknown {
    return this.named(this.told.splice(0));
  }

  /** The same answer on every engine. */
  named(answer: unknown): unknown {
    if (Array.isArray(answer)) return answer.map((each) => this.named(each));
    if (typeof answer === 'string') return answer.replaceAll(uuid, (id) => this.nameOf(id));
    if (typeof answer !== 'object' || answer === null) return answer;
    const given = answer as Record<string, unknown>;
    if ('method_code' in given && 'etag' in given) this.known.set(String(given['id']), given as never);
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, this.member(given, name, value)]),
    );
  }

  /** The name of the ETag of a list or tree, among those of its path. */
  tag(path: string, etag: string | null): string | null {
    if (!etag) return etag;
    const tags = this.tags.get(path) ?? [];
    if (!tags.includes(etag)) tags.push(etag);
    this.tags.set(path, tags);
    return `tag ${tags.indexOf(etag)}`;
  }

  private member(of: Record<string, unknown>, name: string, value: unknown): unknown {
    if (name === 'meta' || name === 'data')
      return typeof of['id'] === 'string' ? sorted(value) : this.named(value);
    if (name === 'actor') return sorted(value);
    if (name === 'own') return this.ownOf(value);
    if (name === 'etag') return this.etagOf(String(value));
    const { id, version } = of;
    if (name === 'created_at') return this.time(this.created, String(id), value);
    if (name === 'updated_at') {
      const moment = this.time(this.updated, `${String(id)} ${String(version)}`, value);
      const isInOrder =
        version === 1 ? value === of['created_at'] : String(value) >= String(of['created_at']);
      return isInOrder ? moment : `not in order with created_at`;
    }
    if (name === 'recorded_at') return this.time(this.created, String(id), value);
    if (name === 'occurred_at' && value === of['recorded_at']) return 'when it was recorded';
    return this.named(value);
  }

  private ownOf(own: unknown): unknown {
    const values = own as Record<string, unknown>;
    return 'meta' in values ? { ...values, meta: sorted(values['meta']) } : values;
  }

  /** A version, and with a default the end of its id and its version. */
  private etagOf(etag: string): string {
    const [, end] = /-([0-9a-f]{12})\./.exec(etag) ?? [];
    if (end === undefined) return etag;
    const [, name = 'an id that was never seen'] = [...this.names].find(([id]) => id.endsWith(end)) ?? [];
    return etag.replace(end, name);
  }

  private time(times: Map<string, string>, key: string, value: unknown): string {
    if (typeof value !== 'string' || !wireTime.test(value)) return `no time: ${String(value)}`;
    const first = times.get(key) ?? value;
    times.set(key, first);
    return first === value ? 'a time' : 'another time than before';
  }

  private nameOf(id: string): string {
    const name = this.names.get(id) ?? `id ${this.names.size}`;
    this.names.set(id, name);
    return name;
  }
}

/** Engines keep the keys of JSON in orders of their own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
