import { type HttpException } from '@nestjs/common';
import { problemOf } from '../http/problem-details.filter.js';
import { ShippingException } from '../shipping.exception.js';
import { InvalidParameterError, ValidationFailedError } from '../validation/faults.js';
import { upsertFields } from '../shipping-methods/dto/upsert-shipping-method.dto.js';
import { integer, ref, type Schema, string } from './schema.js';

export interface Response {
  description: string;
  headers?: Record<string, { description: string; schema: Schema }>;
  content?: Record<
    string,
    { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >;
}

/** The responses to these refusals, by status; the refusals themselves are the examples. */
export function refusals(...exceptions: HttpException[]): Record<string, Response> {
  const responses: Record<string, Response> = {};
  for (const status of new Set(exceptions.map((exception) => exception.getStatus()))) {
    responses[status] = refusal(exceptions.filter((exception) => exception.getStatus() === status));
  }
  return responses;
}

function refusal(exceptions: HttpException[]): Response {
  const problems = exceptions.map(problemOf);
  const code = { ...string, enum: problems.map((problem) => problem.code) };
  const examples = Object.fromEntries(problems.map((problem) => [problem.code, { value: problem }]));
  const schema = { allOf: [ref('ShippingProblem'), { type: 'object', properties: { code } }] };
  const headers = exceptions
    .flatMap((exception) => (exception instanceof ShippingException ? Object.keys(exception.headers) : []))
    .map((name) => [name, { description: 'In seconds.', schema: integer }] as const);
  return {
    description: `${problems.map((problem) => problem.title).join(', or ')}.`,
    headers: Object.fromEntries(headers),
    content: { 'application/problem+json': { schema, examples } },
  };
}

export const created = {
  ETag: { description: 'The `etag` of the method, for `If-Match`.', schema: string },
  Location: { description: 'The path of the method.', schema: string },
};
export const updated = { ETag: created.ETag };
export const validated = {
  ETag: { description: 'Opaque, for `If-None-Match`.', schema: string },
  'Cache-Control': { description: '`no-cache`: ask again with `If-None-Match`.', schema: string },
};
export const notModified: Response = { description: 'Unchanged since that ETag.', headers: validated };

export function success(schema: string, example: unknown, headers: Response['headers'] = {}): Response {
  return {
    description: 'Done.',
    headers,
    content: { 'application/json': { schema: ref(schema), example } },
  };
}

export function badParameter(): HttpException {
  const detail = 'project_id must be at most 64 characters, not 65.';
  return new InvalidParameterError({ errors: [{ parameter: 'project_id', code: 'length', detail }] });
}

export function badBody(): HttpException {
  const detail = '/carier_code is no field of a shipping method.';
  const fault = { pointer: '/carier_code', code: 'unknown', detail, allowed: upsertFields } as const;
  return new ValidationFailedError({ errors: [fault] });
}
