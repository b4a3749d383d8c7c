import { type HttpException } from '@nestjs/common';
import { problemOf } from '../http/problem-details.filter.js';
import { ShippingException } from '../problems/shipping.exception.js';
import { eventExamples } from './event.schemas.js';
import { methodExamples } from './method.schemas.js';
import * as s from './schema.js';

export type Responses = Record<number, object>;

const header = (description: string, schema = s.string()): object => ({ description, schema });
export const updated = { ETag: header('The `etag` of the method, for `If-Match`.') };
export const created = { ...updated, Location: header('The path of the method.') };
const validated = {
  ETag: header('The value for `If-None-Match`. It is opaque.'),
  'Cache-Control': header(
    '`no-cache`: a cache must ask with `If-None-Match` before it uses the answer again.',
  ),
};
const notModified = {
  description: 'Nothing has changed since the answer with that ETag.',
  headers: validated,
};

const examples = { ...methodExamples, ...eventExamples };
type ExampleName = keyof typeof examples;

export function content(name: ExampleName): object {
  return { 'application/json': { schema: s.ref(name), example: examples[name] } };
}

export function success(name: ExampleName, headers: Record<string, object> = {}): object {
  return { description: 'Done.', headers, content: content(name) };
}

/** The successful responses to a conditional read. */
export function current(name: ExampleName): Responses {
  return { 200: success(name, validated), 304: notModified };
}

/** The responses to these refusals, by status. The refusals themselves are the examples. */
export function refusals(...exceptions: HttpException[]): Responses {
  const statuses = [...new Set(exceptions.map((exception) => exception.getStatus()))];
  const withStatus = (status: number) => exceptions.filter((exception) => exception.getStatus() === status);
  return Object.fromEntries(statuses.map((status) => [status, refusal(withStatus(status))]));
}

function refusal(exceptions: HttpException[]): object {
  const problems = exceptions.map(problemOf);
  const code = s.string({ enum: problems.map((problem) => problem.code) });
  const schema = { allOf: [s.ref('ShippingProblem'), { type: 'object', properties: { code } }] };
  const values = Object.fromEntries(problems.map((problem) => [problem.code, { value: problem }]));
  const headers = exceptions
    .flatMap((exception) => (exception instanceof ShippingException ? Object.keys(exception.headers) : []))
    .map((name) => [name, header('How many seconds to wait.', s.integer())]);
  return {
    description: `${problems.map((problem) => problem.title).join(', or ')}.`,
    headers: Object.fromEntries(headers),
    content: { 'application/problem+json': { schema, examples: values } },
  };
}
