import { violationCodes, maxViolations } from '../validation/violations.js';
import * as s from './schema.js';

const meanings = Object.entries(violationCodes).map(([code, meaning]) => `\`${code}\`: ${meaning}`);

const problem = {
  type: s.string('`urn:problem:shipping:` and the code.', { format: 'uri' }),
  title: s.string(),
  status: s.integer(),
  code: s.string('A stable code for programs.'),
  detail: s.string('A text for people. It says what happened and what to do.'),
};
const violations = s.arrayOf(s.ref('ShippingViolation'));
const others = {
  errors: violations('Every violation of the request.', { maxItems: maxViolations }),
  truncated: s.boolean(`True when there were more than ${maxViolations} violations.`),
  existing_id: s.string('With `duplicate_method`: the method that has the codes.'),
  identical: s.boolean(
    'With `duplicate_method` in a create: true if that method stores exactly what was sent. Then a retry was safe.',
  ),
  max_methods: s.integer('With `too_many_methods`: how many methods a project may have.'),
  current_version: s.integer('With `version_mismatch`: the version that the method has now.'),
};
const violation = {
  pointer: s.string('A JSON pointer (RFC 6901) into the body.'),
  parameter: s.string('A parameter of the path or the query.'),
  header: s.string(),
  code: s.string(meanings.join('; '), { enum: Object.keys(violationCodes) }),
  detail: s.string('A text for people.'),
  allowed: s.arrayOf(s.string())('The values or names that are allowed there.'),
};
const violationDescription = 'What is wrong, and where. It has a `pointer`, a `parameter` or a `header`.';

export const problemSchemas: s.Schemas = {
  ShippingProblem: s.object(
    'A refusal, in the format of RFC 9457.',
    { ...problem, ...others },
    Object.keys(problem),
  ),
  ShippingViolation: s.object(violationDescription, violation, ['code', 'detail']),
};
