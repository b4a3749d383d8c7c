import { type BadInput, methods, type Verdict } from '../../support/bad-inputs.js';

/** The body, its answer, and the answer of Nest's own Express setup where it differs. */
export type Body = readonly [given: string, body: unknown, answer: Verdict, express?: Verdict | null];

/** @param headers beside the content type of JSON */
export function creates(bodies: readonly Body[], headers: BadInput['headers'] = {}): BadInput[] {
  return bodies.map(([given, body, answer, express = answer]) => ({
    given,
    method: 'POST',
    path: methods,
    headers,
    body,
    answer,
    express,
  }));
}
