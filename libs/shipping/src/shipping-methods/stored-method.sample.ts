import fc from 'fast-check';
import { type StoredMethod } from './effective-method.js';
import { inheritableFields, useDefaultOf } from './use-default.js';
import { type MethodSet } from './method-view.js';

// Sample methods for the specs of this folder. They are not in the package.

export function idOf(number: number): string {
  return `019aa0b2-5c00-7a41-9d2b-${number.toString(16).padStart(12, '0')}`;
}

/** A method as it is stored by a create, with these values. */
export function storedMethod(values: Partial<StoredMethod> = {}): StoredMethod {
  return {
    id: idOf(1),
    project_id: 'shop',
    carrier_code: 'ups',
    carrier_label: null,
    method_code: '03',
    method_label: 'Ground',
    is_active: true,
    sort_order: 0,
    meta: '{}',
    use_default: false,
    version: 1,
    created_at: '2026-01-31T09:30:00.123Z',
    updated_at: '2026-01-31T09:30:00.123Z',
    ...values,
  };
}

/** Returns a project with one method for each of these values. The ids count from 1. */
export function methodSet(
  methods: readonly Partial<StoredMethod>[],
  projectId = 'shop',
  revision: string | undefined = `${projectId} 1`,
): MethodSet {
  return {
    projectId,
    revision,
    methods: methods.map((values, index) =>
      storedMethod({ id: idOf(index + 1), project_id: projectId, ...values }),
    ),
  };
}

const codes = fc.constantFrom('ups', 'UPS', 'É', '\uFFFD', '𝒰');
const labels = fc.constantFrom('Ground', 'ground', 'Straße', 'É', '50%', '𝒰ps', '\uFFFD');
const times = fc.constantFrom(
  '2026-01-31T09:30:00.123Z',
  '2026-01-31T09:30:00.124Z',
  '2026-02-01T00:00:00.000Z',
);

const anyMethod: fc.Arbitrary<Partial<StoredMethod>> = fc.record({
  carrier_code: codes,
  carrier_label: fc.option(labels),
  method_code: codes,
  method_label: labels,
  is_active: fc.boolean(),
  sort_order: fc.constantFrom(-1, 0, 0, 1, 10),
  meta: fc.constantFrom('{}', '{"a": 1}'),
  use_default: fc.subarray([...inheritableFields]).map(useDefaultOf),
  version: fc.integer({ min: 1, max: 3 }),
  created_at: times,
  updated_at: times,
});

/** Methods with different codes. */
export const anyMethods = fc.uniqueArray(anyMethod, {
  maxLength: 12,
  selector: ({ carrier_code, method_code }) => `${carrier_code}\n${method_code}`,
});
