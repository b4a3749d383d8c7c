import { type HttpException } from '@nestjs/common';
import { problemOf } from '../http/problem-details.filter.js';
import { type ProblemDetails } from '../problems/shipping-http.error.js';
import { violationCodes, maxViolations } from '../validation/violations.js';
import * as s from './schema.js';

const meanings = Object.entries(violationCodes).map(([code, meaning]) => `\`${code}\`: ${meaning}`);
const members = {
  type: s.about('`urn:problem:shipping:` and the code.', { ...s.string, format: 'uri' }),
  title: s.string,
  status: s.integer,
  code: s.about('A stable code for programs.'),
  detail: s.about('A text for people. It says what happened and what to do.'),
};
const extensions = {
  errors: s.about(
    `The violations of the request, at most ${maxViolations}.`,
    s.arrayOf(s.ref('ShippingViolation'), maxViolations),
  ),
  truncated: s.about(`True when there were more than ${maxViolations} violations.`, s.kinds.boolean),
  existing_id: s.about('With `duplicate_method`: the method that has the codes.'),
  identical: s.about(
    'With `duplicate_method` in a create: true if that method stores exactly what was sent. Then a retry did no harm.',
    s.kinds.boolean,
  ),
  max_methods: s.about('With `too_many_methods`: how many methods a project may have.', s.integer),
  would_remove: s.about('With `too_many_removals`: how many methods an import would remove.', s.integer),
  max_removed: s.about('With `too_many_removals`: how many it may remove.', s.integer),
  current_version: s.about('With `version_mismatch`: the version that the method has now.', s.integer),
};
const violation = {
  pointer: s.about('A JSON pointer (RFC 6901) into the body.'),
  parameter: s.about('A parameter of the path or the query.'),
  header: s.string,
  index: s.about('The place of the request in an import, from 0.', s.integer),
  code: s.about(meanings.join('; '), { ...s.string, enum: Object.keys(violationCodes) }),
  detail: s.about('A text for people.'),
  allowed: s.about('The values or names that are allowed there.', s.arrayOf(s.string)),
};
const violationDescription = 'What is wrong, and where. It has a `pointer`, a `parameter` or a `header`.';

export const problemSchemas = {
  ShippingProblem: s.object(
    'An error, in the format of RFC 9457.',
    { ...members, ...extensions },
    Object.keys(members),
  ),
  ShippingViolation: s.object(violationDescription, violation, ['code', 'detail']),
};

/** Returns the responses with these errors, by status. The errors themselves are the examples. */
export function errorResponses(...exceptions: HttpException[]): Record<number, object> {
  const problems = exceptions.map(problemOf);
  const withStatus = (status: number) =>
    errorResponse(problems.filter((problem) => problem.status === status));
  return Object.fromEntries(problems.map(({ status }) => [status, withStatus(status)]));
}

const retryAfter = {
  'Retry-After': { description: 'How many seconds to wait: 1 to 3, at random.', schema: s.integer },
};

function errorResponse(problems: ProblemDetails[]): object {
  const code = { ...s.string, enum: problems.map((each) => each.code) };
  const schema = { allOf: [s.ref('ShippingProblem'), { type: 'object', properties: { code } }] };
  const examples = Object.fromEntries(problems.map((value) => [value.code, { value }]));
  return {
    description: `${problems.map(({ title }) => title).join(', or ')}.`,
    headers: problems[0]?.status === 503 ? retryAfter : undefined,
    content: { 'application/problem+json': { schema, examples } },
  };
}
