import { isDeepStrictEqual } from 'node:util';

// The contract in memory, written from its words alone: nothing of the library is imported.

/** A request of create and update. */
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

export interface Presented extends Method {
  etag: string;
  inherited: (keyof Values)[];
  own: Partial<Values>;
}

const inheritable = ['carrier_label', 'method_label', 'sort_order', 'meta'] as const;

export type Outcome =
  | { is: 'created'; values: Values }
  | { is: 'updated'; values: Values; isChanged: boolean }
  | { is: 'duplicate'; of: Method; isIdentical: boolean }
  | { is: 'missing' }
  | { is: 'mismatch'; version: number };

/** The methods of some tenants, and of the project that holds their defaults. */
export class ContractModel {
  private readonly methods = new Map<string, Method>();
  private readonly changes = new Map<string, number>();
  /** The etag of each method as its last change was answered. */
  readonly loaded = new Map<string, string>();

  constructor(readonly defaultsProject: string) {}

  /** Another word after each change of what lists and trees of the project can show. */
  momentOf(project: string): string {
    return `${this.changes.get(project) ?? 0} ${this.changes.get(this.defaultsProject) ?? 0}`;
  }

  /** All that the project stores, in no order. */
  of(project: string): Method[] {
    return [...this.methods.values()].filter((method) => method.project_id === project);
  }

  create(project: string, sent: Sent): Outcome {
    const values = valuesOf(sent);
    const taken = this.withCodes(project, values);
    if (!taken) return { is: 'created', values };
    return { is: 'duplicate', of: taken, isIdentical: isDeepStrictEqual(valuesOf(taken), values) };
  }

  /** @param etags those that If-Match allows */
  update(project: string, id: string, sent: Sent, etags?: readonly string[]): Outcome {
    const before = this.methods.get(id);
    if (before?.project_id !== project) return { is: 'missing' };
    if (!this.allows(before, etags)) return { is: 'mismatch', version: before.version };

    const stays = before.use_default && sent.use_default !== false && sent.use_default !== null;
    const { inherited, ...shown } = this.present(before);
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

  /** @param etags those that If-Match allows; undefined: any */
  allows(method: Method, etags: readonly string[] | undefined): boolean {
    return etags?.some((tag) => [this.present(method).etag, `"${method.version}"`].includes(tag)) ?? true;
  }

  keep(method: Method): void {
    this.methods.set(method.id, method);
    this.change(method.project_id);
  }

  /** @returns whether there was one */
  remove(project: string, id: string): boolean {
    if (this.methods.get(id)?.project_id !== project) return false;
    this.change(project);
    return this.methods.delete(id);
  }

  present(method: Method): Presented {
    const follows = method.use_default && method.project_id !== this.defaultsProject;
    const origin = follows ? this.withCodes(this.defaultsProject, method) : undefined;
    const state = origin ? `-${origin.id.slice(-12)}.${origin.version}` : '-none';
    const etag = `"${method.version}${follows ? state : ''}"`;
    const presented: Presented = { ...method, etag, inherited: [], own: {} };
    if (!origin) return presented;
    for (const field of inheritable) {
      if (origin[field] === null) continue;
      Object.assign(presented, { [field]: origin[field] });
      Object.assign(presented.own, { [field]: method[field] });
      presented.inherited.push(field);
    }
    return presented;
  }

  private withCodes(
    project: string,
    codes: Pick<Values, 'carrier_code' | 'method_code'>,
  ): Method | undefined {
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
