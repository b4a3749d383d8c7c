import { inspect } from 'node:util';
import { type ShippingMethodPage, type ShippingTree } from './dto/shipping-method.dto.js';
import { type EffectiveMethod } from './effective-method.js';
import { type CheckedListQuery } from './list/list-filter.js';
import { type MethodView } from './method-view.js';

// A list or a tree is rendered as JSON from a view. Its value is made from the JSON when somebody reads the value.

/** The JSON of a list or a tree. */
export interface Rendering {
  /** The tag of the view that it was made from. */
  tag: string;
  json: () => Buffer;
}

type Members = Record<string, unknown>;

/** The property with this key is not enumerable, so no copy and no JSON of a lazy value has it. */
const lazyState = Symbol('lazyState');

interface LazyValue {
  [lazyState]: { rendering: Rendering; accessors: PropertyDescriptorMap; members?: Members };
}

/**
 * Returns a function that makes lists or trees. Their JSON is parsed when one of their members is first read or set. Usually
 * nobody does that, because the route sends the JSON. They look and behave like plain objects, and can be changed, copied,
 * frozen and logged.
 * @param names the members
 */
function lazily<Value extends object>(...names: string[]): (rendering: Rendering) => Value {
  const accessors = Object.fromEntries(names.map((name) => [name, accessor(name)]));
  const descriptors: PropertyDescriptorMap = {
    ...accessors,
    [lazyState]: { writable: true, configurable: true },
    // Without this property, a log would show "[Getter/Setter]".
    [inspect.custom]: { value: copyOf, configurable: true },
  };
  return (rendering) => {
    // All values share the accessors. An object literal would make new ones for each value, and take twice the time.
    const value: Value & LazyValue = Object.create(Object.prototype, descriptors);
    value[lazyState] = { rendering, accessors };
    return value;
  };
}

export const lazyPage = lazily<ShippingMethodPage>('data', 'meta');
export const lazyTree = lazily<ShippingTree>('data');

/** @returns the tag of the view that a lazy value shows; undefined for any other value */
export function shownTag(value: object): string | undefined {
  return (value as Partial<LazyValue>)[lazyState]?.rendering.tag;
}

/** @returns the JSON of a lazy value; undefined for any other value, and after somebody has read or changed the value */
export function unreadJson(value: object): Buffer | undefined {
  const { [lazyState]: state } = value as Partial<LazyValue>;
  return state && !state.members && isUntouched(value, state.accessors) ? state.rendering.json() : undefined;
}

/** Returns false if the host has replaced a member by a value or a getter of its own, or has added `toJSON`. */
function isUntouched(value: object, accessors: PropertyDescriptorMap): boolean {
  const names = Object.keys(accessors);
  const isAccessor = (name: string): boolean =>
    Object.getOwnPropertyDescriptor(value, name)?.get === accessors[name]?.get;
  return Object.keys(value).length === names.length && names.every(isAccessor) && !('toJSON' in value);
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

function membersOf({ [lazyState]: state }: LazyValue): Members {
  return (state.members ??= JSON.parse(String(state.rendering.json())) as Members);
}

function copyOf(this: object): object {
  return { ...this };
}

/** @returns the JSON of a `ShippingMethodPage` */
export function pageJson(view: MethodView, query: CheckedListQuery): string {
  const { methods, total } = view.page(query);
  const { page, perPage } = query;
  const meta: ShippingMethodPage['meta'] = {
    page,
    per_page: perPage,
    total,
    total_pages: Math.ceil(total / perPage),
  };
  return `{"data":[${methodsJson(methods)}],"meta":${JSON.stringify(meta)}}`;
}

/** @returns the JSON of a `ShippingTree` */
export function treeJson(view: MethodView): string {
  const carriers = view
    .tree()
    .map(
      ({ methods, ...carrier }) =>
        `${JSON.stringify(carrier).slice(0, -1)},"methods":[${methodsJson(methods)}]}`,
    );
  return `{"data":[${carriers.join(',')}]}`;
}

function methodsJson(methods: readonly EffectiveMethod[]): string {
  return methods.map(({ json }) => json).join(',');
}
