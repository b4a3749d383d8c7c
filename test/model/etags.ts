import { type ShippingMethodDto } from 'nestjs-shipping';
import { expect } from 'vitest';

/** A copy of a response without the `etag` of each method, which the model cannot know. */
export function withoutEtags(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutEtags);
  if (typeof body !== 'object' || body === null) return body;
  const isMethod = 'inherited' in body;
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !(isMethod && name === 'etag'))
      // `meta` of a method may have any keys, so methods are not searched.
      .map(([name, value]) => [name, isMethod ? value : withoutEtags(value)]),
  );
}

/** The methods in any response. */
function methodsIn(body: unknown): ShippingMethodDto[] {
  if (Array.isArray(body)) return body.flatMap(methodsIn);
  if (typeof body !== 'object' || body === null) return [];
  if ('inherited' in body) return [body as ShippingMethodDto];
  return Object.values(body).flatMap(methodsIn);
}

/**
 * Expects the ETag of a method to be strong: it never stands for two states.
 * @param states the method that each ETag was first seen with
 */
export function expectStrong(body: unknown, states: Map<string, ShippingMethodDto>): void {
  for (const method of methodsIn(body)) {
    const etag = etagOf(method);
    if (etag === undefined) continue;
    const key = `${method.id} ${etag}`;
    const known = states.get(key) ?? method;
    states.set(key, known);
    expect({ etag, method }).toEqual({ etag, method: known });
  }
}

/** The ETag of a method for `If-Match`. */
export function etagOf(method: unknown): string | undefined {
  const isTagged = typeof method === 'object' && method !== null && 'etag' in method;
  return isTagged ? String(method.etag) : undefined;
}
