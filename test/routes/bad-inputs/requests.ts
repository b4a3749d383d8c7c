import { type BadInput, methods, type Verdict } from '../../support/bad-inputs.js';

/** The body, its response, and the response of Nest's own Express setup where it differs. */
export type Body = readonly [given: string, body: unknown, response: BadInput['response'], express?: Verdict];

/** @param headers beside the content type of JSON */
export function creates(bodies: readonly Body[], headers: BadInput['headers'] = {}): BadInput[] {
  return bodies.map(([given, body, response, express]) => ({
    given,
    method: 'POST',
    path: methods,
    headers,
    body,
    response,
    express,
  }));
}
