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

/** The tree as JSON. @param branches by their smallest sort_order, then by code; `text` is of their methods */
export function treeJson(branches: readonly (Branch & { text: string })[]): string {
  return `{"data":[${branches.map((branch) => `${branchHead(branch)}${branch.text}]}`).join(',')}]}`;
}
