import { type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';

// docs/guide/envelopes.md shows this code.

type Value = { data?: unknown } | undefined;

export class EnvelopeInterceptor implements NestInterceptor<Value> {
  intercept(context: ExecutionContext, next: CallHandler<Value>): Observable<Value> {
    // Resolvers of GraphQL and routes with `SetMetadata('plain', true)` keep their values.
    if (context.getType() !== 'http' || Reflect.getMetadata('plain', context.getHandler()))
      return next.handle();
    const wrapped = (value: Value) => (Array.isArray(value?.data) ? value : { data: value });
    return next.handle().pipe(map((value) => ({ ok: true, ...wrapped(value) })));
  }
}

export const unwrap = ({ data, meta }: { data?: unknown; meta?: unknown }): unknown =>
  Array.isArray(data) ? { data, ...(meta !== undefined && { meta }) } : data;

interface Response {
  content?: { 'application/json'?: { schema: { $ref?: string; allOf?: object[] } } };
}

/** The schemas with an array in `data`. Add the names of yours. */
const lists = /\/(ShippingMethodPage|ShippingMethodTree|OrderEventList)$/;

/** Returns a copy of the document in which each successful response has the envelope. */
export function documentEnvelopes<Document>(document: Document): Document {
  const ok = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
  return JSON.parse(JSON.stringify(document), (key, value: Response) => {
    const json = /^20[01]$/.test(key) ? value.content?.['application/json'] : undefined;
    if (!json) return value;
    const data = { type: 'object', required: ['data'], properties: { data: json.schema } };
    json.schema = { allOf: [ok, lists.test(json.schema.$ref ?? '') ? json.schema : data] };
    return value;
  }) as Document;
}
