import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { type Rendering } from '../http/response.js';
import {
  type ShippingMethodPage,
  type ShippingMethodTree,
  type ShippingMethodTreeCarrier,
} from './dto/shipping-method.dto.js';
import { type EffectiveMethod } from './effective-method.js';
import { type CheckedListQuery, matches } from './list/list-filter.js';
import { fieldNames } from './method-fields.js';
import { type MethodView } from './method-view.js';

// A list or a tree is rendered as JSON from a view. Its value is made from the JSON when somebody reads the value
// (decision 10).

/** Raise this number with each change of the JSON of lists or trees. */
const formOfJson = 2;

/** A part of each ETag, so that a 304 never confirms a response of an older version of this library. */
const format = createHash('sha256')
  .update(`${formOfJson},${fieldNames.join()}`)
  .digest('base64url')
  .slice(0, 6);

/** The property with this key is not enumerable, so no copy and no JSON of a lazy value has it. */
const lazyState = Symbol('lazyState');

interface LazyValue {
  [lazyState]: { rendering: Rendering; memberCount: number; members?: Record<string, unknown> };
}

/**
 * Returns a function that makes lists or trees. Their JSON is parsed when one of their members is first read or set.
 * Usually nobody does that, because the route sends the JSON. They look and behave like plain objects, and can be
 * changed, copied and logged.
 * @param names the members
 */
function lazily<Value extends object>(...names: string[]): (rendering: Rendering) => Value {
  // All values share these properties. To define them one by one, always in the same order, is fastest.
  const properties = names.map((name) => [name, accessor(name)] as const);
  return (rendering) => {
    const value = {} as Value & LazyValue;
    Object.defineProperty(value, lazyState, { value: { rendering, memberCount: names.length } });
    Object.defineProperty(value, inspect.custom, shownAsCopy);
    for (const [name, property] of properties) Object.defineProperty(value, name, property);
    return value;
  };
}

function accessor(name: string): PropertyDescriptor & ThisType<LazyValue> {
  return {
    enumerable: true,
    configurable: true,
    get() {
      return membersOf(this)[name];
    },
    set(member: unknown) {
      membersOf(this)[name] = member;
    },
  };
}

function membersOf({ [lazyState]: state }: LazyValue): Record<string, unknown> {
  return (state.members ??= JSON.parse(String(state.rendering.json)));
}

/** Without this property, a log would show "[Getter/Setter]". */
const shownAsCopy: PropertyDescriptor & ThisType<object> = {
  value() {
    return { ...this };
  },
};

export const lazyPage = lazily<ShippingMethodPage>('data', 'meta');
export const lazyTree = lazily<ShippingMethodTree>('data');

/** @returns undefined after somebody has read or changed the lazy value, and for any other value */
export function renderingIfUntouched(value: object): Rendering | undefined {
  const { [lazyState]: state } = value as Partial<LazyValue>;
  return state && !state.members && hasOnlyAccessors(value, state.memberCount) ? state.rendering : undefined;
}

/** Returns false if the host has added, replaced or removed a member, or has added `toJSON`. */
function hasOnlyAccessors(value: object, memberCount: number): boolean {
  const names = Object.keys(value);
  const isAccessor = (name: string): boolean => !!Object.getOwnPropertyDescriptor(value, name)?.get;
  return names.length === memberCount && names.every(isAccessor) && !('toJSON' in value);
}

/** Renders a `ShippingMethodPage`. */
export function renderPage(view: MethodView, query: CheckedListQuery): Rendering {
  const { page, perPage } = query;
  const found = view.methods.filter((method) => matches(method, query));
  const total = found.length;
  const meta: ShippingMethodPage['meta'] = {
    page,
    per_page: perPage,
    total,
    total_pages: Math.ceil(total / perPage),
  };
  // The size of a page may come from `maxPageSize`, which another version of the host may have changed.
  const tag = `${view.tag}.${perPage}`;
  return renderingOf(
    tag,
    `{"data":[${methodsJson(found.slice((page - 1) * perPage, page * perPage))}],"meta":${JSON.stringify(meta)}}`,
  );
}

/** Renders a `ShippingMethodTree`. */
export function renderTree(view: MethodView): Rendering {
  const carriers = new Map<string, EffectiveMethod[]>();
  for (const method of view.methods) {
    const { carrier_code } = method.stored;
    const methods = carriers.get(carrier_code);
    if (methods) methods.push(method);
    else carriers.set(carrier_code, [method]);
  }
  // The carriers are in the order of their first methods, which have the smallest `sort_order`.
  return renderingOf(view.tag, `{"data":[${Array.from(carriers, carrierJson).join(',')}]}`);
}

function carrierJson([carrier_code, methods]: [string, readonly EffectiveMethod[]]): string {
  const labels = methods.map((method) => method.value('carrier_label'));
  const carrier: Omit<ShippingMethodTreeCarrier, 'methods'> = {
    carrier_code,
    carrier_label: labels.find((label) => label !== null) ?? carrier_code,
    is_active: methods.some((method) => method.value('is_active')),
    sort_order: methods[0]?.value('sort_order') ?? 0,
  };
  return `${JSON.stringify(carrier).slice(0, -1)},"methods":[${methodsJson(methods)}]}`;
}

function renderingOf(tag: string, json: string): Rendering {
  // The buffer has memory of its own. A slice of Node's shared pool would keep the whole pool in memory.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  return { etag: `"${format}.${tag}"`, json: bytes };
}

function methodsJson(methods: readonly EffectiveMethod[]): string {
  return methods.map((method) => method.toJson()).join(',');
}
