import { isDeepStrictEqual } from 'node:util';
import { Histories } from './histories.js';

// The contract in memory, written from its text alone. Nothing is imported from the library.

/** The body of a create or an update. */
export interface Sent {
  carrier_code: string;
  method_code: string;
  method_label: string;
  carrier_label?: string | null;
  is_active?: boolean | null;
  sort_order?: number | null;
  meta?: object | null;
  use_default?: boolean | null;
}

export interface Values {
  carrier_code: string;
  carrier_label: string | null;
  method_code: string;
  method_label: string;
  is_active: boolean;
  sort_order: number;
  meta: object;
  use_default: boolean;
}

export interface Method extends Values {
  id: string;
  project_id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface Shown extends Method {
  inherited: (keyof Values)[];
  own: Partial<Values>;
}

const inheritable = ['carrier_label', 'method_label', 'sort_order', 'meta'] as const;

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

    const stays = before.use_default && sent.use_default !== false && sent.use_default !== null;
    const { inherited, ...shown } = this.shown(before);
    const asked = Object.entries(valuesOf(sent)).filter(([name, value]) => {
      const [, given] = Object.entries(sent).find(([field]) => field === name) ?? [];
      const cameBack = Object.entries(shown).some(
        ([field, loaded]) => field === name && isDeepStrictEqual(loaded, value),
      );
      const isInherited = inherited.some((field) => field === name);
      return given !== undefined && !(stays && isInherited && cameBack && given !== null);
    });
    const values = valuesOf(Object.assign({ ...before }, Object.fromEntries(asked)));
    const isChanged = !isDeepStrictEqual(valuesOf(before), values);
    const taken = this.withCodes(project, values);
    if (taken && taken.id !== id) return { is: 'duplicate', of: taken, isIdentical: false };
    return { is: 'updated', values, isChanged };
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
    for (const field of inheritable) {
      if (origin[field] === null) continue;
      Object.assign(shown, { [field]: origin[field] });
      Object.assign(shown.own, { [field]: method[field] });
      shown.inherited.push(field);
    }
    return shown;
  }

  /** The default that the method inherits from. */
  originOf(method: Method): Method | undefined {
    const inherits = method.use_default && method.project_id !== this.defaultsProject;
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
    use_default: sent.use_default ?? false,
  };
}

function normal(label: string | null | undefined): string | undefined {
  return label?.trim().normalize('NFC');
}
