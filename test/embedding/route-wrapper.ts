type Handler = (...parameters: unknown[]) => Promise<unknown>;
export type Wrap = (next: () => Promise<unknown>, parameters: unknown[]) => Promise<unknown>;

/** Wraps the function in another one, which has none of its metadata. */
export function around(next: unknown, wrap: Wrap): Handler {
  return function (this: unknown, ...parameters) {
    return wrap(() => Reflect.apply(next as Handler, this, parameters), parameters);
  };
}

/** A decorator like that of an audit trail. */
export function wrapping(wrap: Wrap): MethodDecorator {
  return (_target, _key, descriptor) => {
    Object.assign(descriptor, { value: around(descriptor.value, wrap) });
  };
}
