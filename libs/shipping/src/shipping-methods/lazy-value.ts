import { inspect } from 'node:util';
import { type ShippingMethodPage, type ShippingTree } from './dto/shipping-method.dto.js';

/** JSON that shows a view. */
export interface Rendering {
  /** The tag of the view. */
  tag: string;
  json: () => Buffer;
}

type Members = Record<string, unknown>;

/** This property of a lazy value is not enumerable, so no copy and no JSON has it. */
const state = Symbol('state');

interface Lazy {
  [state]: { rendering: Rendering; accessors: PropertyDescriptorMap; members?: Members };
}

/**
 * Lists and trees are parsed when one of their members is first read or set. Usually nobody does: the route sends the JSON.
 * They look and behave like plain objects, and can be changed, copied, frozen and logged.
 */
function lazily<Value extends object>(...names: string[]): (rendering: Rendering) => Value {
  const accessors = Object.fromEntries(names.map((name) => [name, accessor(name)]));
  const descriptors: PropertyDescriptorMap = {
    ...accessors,
    [state]: { writable: true, configurable: true },
    // Without it, a log would show "[Getter/Setter]".
    [inspect.custom]: { value: copyOf, configurable: true },
  };
  return (rendering) => {
    // All values share the accessors. An object literal would need new ones for each value, and twice the time.
    const value: Value & Lazy = Object.create(Object.prototype, descriptors);
    value[state] = { rendering, accessors };
    return value;
  };
}

export const lazyPage = lazily<ShippingMethodPage>('data', 'meta');
export const lazyTree = lazily<ShippingTree>('data');

/** @returns the tag of the view that a lazy value shows; undefined for any other value */
export function shownTag(value: object): string | undefined {
  return (value as Partial<Lazy>)[state]?.rendering.tag;
}

/** @returns the JSON of a lazy value; undefined for any other value, and after somebody has read or changed the value */
export function unreadJson(value: object): Buffer | undefined {
  const { [state]: own } = value as Partial<Lazy>;
  return own && !own.members && isUntouched(value, own.accessors) ? own.rendering.json() : undefined;
}

/** A host may have put a value or a getter of its own in the place of a member, or have added `toJSON`. */
function isUntouched(value: object, accessors: PropertyDescriptorMap): boolean {
  const names = Object.keys(accessors);
  const isAccessor = (name: string): boolean =>
    Object.getOwnPropertyDescriptor(value, name)?.get === accessors[name]?.get;
  return Object.keys(value).length === names.length && names.every(isAccessor) && !('toJSON' in value);
}

function accessor(name: string): PropertyDescriptor & ThisType<Lazy> {
  return {
    enumerable: true,
    configurable: true,
    get() {
      return membersOf(this)[name];
    },
    set(given: unknown) {
      membersOf(this)[name] = given;
    },
  };
}

function membersOf({ [state]: own }: Lazy): Members {
  return (own.members ??= JSON.parse(String(own.rendering.json())) as Members);
}

function copyOf(this: object): object {
  return { ...this };
}
