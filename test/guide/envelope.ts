import { type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';

// docs/guide/envelopes.md shows this code.

type Answer = { data?: unknown } | undefined;

export class EnvelopeInterceptor implements NestInterceptor<Answer, object> {
  intercept(_context: ExecutionContext, next: CallHandler<Answer>): Observable<object> {
    const wrapped = (answer: Answer) => (Array.isArray(answer?.data) ? answer : { data: answer });
    return next.handle().pipe(map((answer) => ({ ok: true, ...wrapped(answer) })));
  }
}

interface Response {
  content?: { 'application/json'?: { schema: { $ref?: string; allOf?: object[] } } };
}

/** The schemas with an array in `data`. Add the names of yours. */
const lists = /\/(ShippingMethodPage|ShippingTree|OrderEventList)$/;

/** Returns a copy of the document in which each successful answer has the envelope. */
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
