import { jsonOf, type MethodRow } from './method-row.js';

/** A carrier of the tree, its methods left out. */
export interface Branch {
  carrier_code: string;
  /** The first label among its methods; null: none has one. */
  carrier_label: string | null;
  is_active: boolean;
  /** The smallest of its methods. */
  sort_order: number;
}

/** What stands before the methods of a branch; `]}` comes after them. */
export function branchHead({ carrier_code, carrier_label, is_active, sort_order }: Branch): string {
  return (
    `{"carrier_code":${JSON.stringify(carrier_code)},"carrier_label":${JSON.stringify(carrier_label ?? carrier_code)},` +
    `"is_active":${is_active},"sort_order":${sort_order},"methods":[`
  );
}

/**
 * The tree as JSON. The methods come in list order (sort_order, carrier, method), so that the carriers appear
 * by their smallest sort_order, then by code, and each one's methods stay in order.
 */
export function treeJson(rows: Iterable<MethodRow>): string {
  const branches = new Map<string, Branch & { methods: string[] }>();
  for (const row of rows) {
    const { carrier_code, carrier_label, is_active, sort_order } = row;
    let branch = branches.get(carrier_code);
    if (!branch) {
      branch = { carrier_code, carrier_label, is_active, sort_order, methods: [] };
      branches.set(carrier_code, branch);
    }
    branch.carrier_label ??= carrier_label;
    branch.is_active ||= is_active;
    branch.methods.push(jsonOf(row));
  }
  const json = [...branches.values()].map((branch) => `${branchHead(branch)}${branch.methods.join(',')}]}`);
  return `{"data":[${json.join(',')}]}`;
}
