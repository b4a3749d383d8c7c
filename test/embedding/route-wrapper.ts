type Handler = (...parameters: unknown[]) => Promise<unknown>;
export type Wrap = (next: () => Promise<unknown>, parameters: unknown[]) => Promise<unknown>;

/** Another export function around the one that is there, which has none of its metadata. */
export function around(next: unknown, wrap: Wrap): Handler {
  return function (this: unknown, ...parameters) {
    return wrap(() => Reflect.apply(next as Handler, this, parameters), parameters);
  };
}

/** A decorator, as an audit trail has it. */
export function wrapping(wrap: Wrap): MethodDecorator {
  return (_target, _key, descriptor) => {
    Object.assign(descriptor, { value: around(descriptor.value, wrap) });
  };
}
