import { inspect } from 'node:util';
import { type ShippingMethodPage, type ShippingTree } from './dto/shipping-method.dto.js';

/** What a lazy value is made from. */
interface Source<Value> {
  /** Makes the members. The caller may change them. */
  make: () => Value;
  /** The tag of the view that the value shows. */
  tag: string;
  /** Gives the JSON of the value without making its members; undefined when there is none. */
  json: (() => Buffer) | undefined;
}

type Members = Record<string, unknown>;

/** This property of a lazy value is not enumerable, so no copy and no JSON has it. */
const state = Symbol('state');

interface Lazy {
  [state]: { source: Source<object>; names: readonly string[]; members?: Members };
}

/**
 * Lists and trees are made when one of their members is first read or set. Usually nobody reads them: the route sends the
 * JSON that is at hand. They look and behave like plain objects, and can be changed, copied, frozen and logged.
 */
function lazily<Value extends object>(...names: string[]): (source: Source<Value>) => Value {
  const descriptors: PropertyDescriptorMap = {
    [state]: { writable: true, configurable: true },
    // Without it, a log would show "[Getter/Setter]".
    [inspect.custom]: { value: copyOf, configurable: true },
  };
  for (const name of names) descriptors[name] = accessor(name);
  return (source) => {
    // All values share the accessors. An object literal would need new ones for each value, and twice the time.
    const value: Value & Lazy = Object.create(Object.prototype, descriptors);
    value[state] = { source, names };
    return value;
  };
}

export const lazyPage = lazily<ShippingMethodPage>('data', 'meta');
export const lazyTree = lazily<ShippingTree>('data');

/** @returns the tag of the view that a lazy value shows; undefined for any other value */
export function shownTag(value: object): string | undefined {
  return (value as Partial<Lazy>)[state]?.source.tag;
}

/** @returns the JSON of a lazy value; undefined when there is none, or somebody has read or changed the value */
export function unreadJson(value: object): Buffer | undefined {
  const { [state]: own } = value as Partial<Lazy>;
  return own && !own.members && hasItsAccessors(value, own.names) ? own.source.json?.() : undefined;
}

/** A member that was deleted and set again is no accessor. */
function hasItsAccessors(value: object, names: readonly string[]): boolean {
  const isAccessor = (name: string): boolean =>
    Object.getOwnPropertyDescriptor(value, name)?.get !== undefined;
  return Object.keys(value).length === names.length && names.every(isAccessor);
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
  return (own.members ??= own.source.make() as Members);
}

function copyOf(this: object): object {
  return { ...this };
}
