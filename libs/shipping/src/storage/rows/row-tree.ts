import { type ShippingCarrierDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import { type Row } from '../scripts.js';

/** What the tree needs of a method beside its JSON. */
export const branchColumns = ['carrier_code', 'carrier_label', 'is_active', 'sort_order'] as const;

/** @param rows of methods with `branchColumns`, in the order of the list, which is that of the branches and that in each branch */
export function treeJson(rows: readonly Row[]): string {
  const branches = new Map<unknown, Row[]>();
  for (const row of rows) {
    const branch = branches.get(row['carrier_code']);
    if (branch) branch.push(row);
    else branches.set(row['carrier_code'], [row]);
  }
  return Array.from(branches.values(), branchJson).join(',');
}

function branchJson(methods: readonly Row[]): string {
  const [{ carrier_code, sort_order } = {} as Row] = methods;
  const branch = {
    carrier_code,
    // The first one among its methods.
    carrier_label:
      methods.find(({ carrier_label }) => carrier_label !== null)?.['carrier_label'] ?? carrier_code,
    is_active: methods.some(({ is_active }) => Number(is_active) === 1),
    sort_order,
    methods: [],
  } satisfies Record<keyof ShippingCarrierDto, unknown>;
  return `${JSON.stringify(branch).slice(0, -2)}${methods.map(({ json }) => json).join(',')}]}`;
}

export const branchForm = branchJson([]);
