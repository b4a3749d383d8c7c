import { isDeepStrictEqual } from 'node:util';
import { Histories } from './histories.js';

// The contract in memory, written from its text alone. Nothing is imported from the library.

/** The fields that can come from the default, in the order of the contract. */
export const inheritable = ['carrier_label', 'method_label', 'sort_order', 'meta', 'is_active'] as const;
type Inheritable = (typeof inheritable)[number];

/** The body of a create or an update. */
export interface Sent {
  carrier_code: string;
  method_code: string;
  method_label: string;
  carrier_label?: string | null;
  is_active?: boolean | null;
  sort_order?: number | null;
  meta?: object | null;
  use_default?: boolean | readonly Inheritable[] | null;
}

export interface Values {
  carrier_code: string;
  carrier_label: string | null;
  method_code: string;
  method_label: string;
  is_active: boolean;
  sort_order: number;
  meta: object;
  use_default: boolean | Inheritable[];
}

export interface Method extends Values {
  id: string;
  project_id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface Shown extends Method {
  inherited: Inheritable[];
  own: Partial<Values>;
}

export type Outcome =
  | { is: 'created'; values: Values }
  | { is: 'updated'; values: Values; isChanged: boolean }
  | { is: 'duplicate'; of: Method; isIdentical: boolean }
  | { is: 'full'; bound: number }
  | { is: 'missing' }
  | { is: 'mismatch'; version: number };

export type Change =
  | { type: 'created'; before: null; after: Shown }
  | { type: 'updated'; before: Shown; after: Shown }
  | { type: 'removed'; before: Shown; after: null };

/** The methods and histories of some tenants, and of the project that holds their defaults. */
export class ContractModel {
  private methods = new Map<string, Method>();
  private changes = new Map<string, number>();
  histories = new Histories();
  /** The changes that must be reported after the commit. */
  reported: Change[] = [];

  constructor(
    readonly defaultsProject: string,
    readonly maxMethods: number,
  ) {}

  /** @returns a function that undoes everything after this call */
  savepoint(): () => void {
    const [methods, changes] = [new Map(this.methods), new Map(this.changes)];
    const [histories, reported] = [this.histories.copy(), [...this.reported]];
    return () => Object.assign(this, { methods, changes, histories, reported });
  }

  /** A text that changes whenever a list or tree of the project may change. */
  momentOf(project: string): string {
    return `${this.changes.get(project) ?? 0} ${this.changes.get(this.defaultsProject) ?? 0}`;
  }

  /** The methods that the project stores, in no particular order. */
  of(project: string): Method[] {
    return [...this.methods.values()].filter((method) => method.project_id === project);
  }

  create(project: string, sent: Sent): Outcome {
    const values = valuesOf(sent);
    const taken = this.withCodes(project, values);
    if (!taken && this.of(project).length >= this.maxMethods) return { is: 'full', bound: this.maxMethods };
    if (!taken) return { is: 'created', values };
    return { is: 'duplicate', of: taken, isIdentical: isDeepStrictEqual(valuesOf(taken), values) };
  }

  /** @param versions the ones that `If-Match` allows */
  update(project: string, id: string, sent: Sent, versions?: readonly number[]): Outcome {
    const before = this.methods.get(id);
    if (before?.project_id !== project) return { is: 'missing' };
    if (versions && !versions.includes(before.version)) return { is: 'mismatch', version: before.version };

    const values = this.updated(before, sent);
    const isChanged = !isDeepStrictEqual(valuesOf(before), values);
    const taken = this.withCodes(project, values);
    if (taken && taken.id !== id) return { is: 'duplicate', of: taken, isIdentical: false };
    return { is: 'updated', values, isChanged };
  }

  private updated(before: Method, sent: Sent): Values {
    const given = Object.entries(sent).filter(([, value]) => value !== undefined);
    const values = valuesOf(Object.assign({ ...before }, Object.fromEntries(given)));
    const shown = this.shown(before);
    const origin = this.originOf({ ...before, ...codesOf(sent) });
    const fields = new Set(namedBy(values.use_default));
    for (const field of inheritable) {
      const isSent = sent[field] !== undefined;
      // A field that leaves the inheritance without a sent value keeps what was shown.
      if (!isSent && !fields.has(field)) Object.assign(values, { [field]: shown[field] });
      if (!isSent || !fields.has(field) || !namedBy(before.use_default).includes(field)) continue;
      const presents = (own: Values): boolean =>
        isDeepStrictEqual(presented(field, own, origin), values[field]);
      // A value that is presented anyway leaves the own one alone.
      if (presents(before)) Object.assign(values, { [field]: before[field] });
      else if (sent.use_default === undefined && !presents(values)) fields.delete(field);
    }
    return { ...values, use_default: shortest(fields) };
  }

  keep(method: Method): void {
    const stored = this.methods.get(method.id);
    const before = stored && this.shown(stored);
    this.methods.set(method.id, method);
    const after = this.shown(method);
    this.reported.push(
      before ? { type: 'updated', before, after } : { type: 'created', before: null, after },
    );
    this.change(method.project_id);
  }

  remove(method: Method): void {
    this.reported.push({ type: 'removed', before: this.shown(method), after: null });
    this.change(method.project_id);
    this.methods.delete(method.id);
  }

  shown(method: Method): Shown {
    const origin = this.originOf(method);
    const shown: Shown = { ...method, inherited: [], own: {} };
    if (!origin) return shown;
    for (const field of namedBy(method.use_default)) {
      if (origin[field] === null) continue;
      Object.assign(shown, { [field]: presented(field, method, origin) });
      Object.assign(shown.own, { [field]: method[field] });
      shown.inherited.push(field);
    }
    return shown;
  }

  /** The default that the method inherits from. */
  originOf(method: Method): Method | undefined {
    const inherits = method.use_default !== false && method.project_id !== this.defaultsProject;
    return inherits ? this.withCodes(this.defaultsProject, method) : undefined;
  }

  withCodes(project: string, codes: Pick<Values, 'carrier_code' | 'method_code'>): Method | undefined {
    return this.of(project).find(
      ({ carrier_code, method_code }) =>
        carrier_code === codes.carrier_code && method_code === codes.method_code,
    );
  }

  private change(project: string): void {
    this.changes.set(project, (this.changes.get(project) ?? 0) + 1);
  }
}

function valuesOf(sent: Sent): Values {
  return {
    carrier_code: sent.carrier_code,
    carrier_label: normal(sent.carrier_label) ?? null,
    method_code: sent.method_code,
    method_label: normal(sent.method_label) ?? '',
    is_active: sent.is_active ?? true,
    sort_order: sent.sort_order ?? 0,
    meta: sent.meta ?? {},
    use_default: shortest(namedBy(sent.use_default ?? false)),
  };
}

function namedBy(useDefault: boolean | readonly Inheritable[]): Inheritable[] {
  return inheritable.filter((field) => (Array.isArray(useDefault) ? useDefault.includes(field) : useDefault));
}

function shortest(fields: Iterable<Inheritable>): Values['use_default'] {
  const named = namedBy([...fields]);
  return named.length === inheritable.length || (named.length > 0 && named);
}

/** What a method presents for a field that it inherits. */
function presented(field: Inheritable, own: Values, origin: Values | undefined): unknown {
  if (!origin) return own[field];
  return field === 'is_active' ? own.is_active && origin.is_active : (origin[field] ?? own[field]);
}

function codesOf({ carrier_code, method_code }: Sent): Pick<Values, 'carrier_code' | 'method_code'> {
  return { carrier_code, method_code };
}

function normal(label: string | null | undefined): string | undefined {
  return label?.trim().normalize('NFC');
}
