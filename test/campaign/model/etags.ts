import { type ShippingMethodDto } from 'nestjs-shipping';
import { expect } from 'vitest';

/** A copy of an answer without the `etag` of each method, which the model cannot know. */
export function withoutEtags(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutEtags);
  if (typeof body !== 'object' || body === null) return body;
  const isMethod = 'inherited' in body;
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !(isMethod && name === 'etag'))
      // Nothing that a host stores is looked into.
      .map(([name, value]) => [name, isMethod ? value : withoutEtags(value)]),
  );
}

/** The methods of an answer, whatever it is. */
function methodsIn(body: unknown): ShippingMethodDto[] {
  if (Array.isArray(body)) return body.flatMap(methodsIn);
  if (typeof body !== 'object' || body === null) return [];
  if ('inherited' in body) return [body as ShippingMethodDto];
  return Object.values(body).flatMap(methodsIn);
}

/**
 * An ETag of a method is a strong validator: it never stands for two states.
 * @param states what each was seen with
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

/** What `If-Match` takes. */
export function etagOf(method: unknown): string | undefined {
  const isTagged = typeof method === 'object' && method !== null && 'etag' in method;
  return isTagged ? String(method.etag) : undefined;
}
