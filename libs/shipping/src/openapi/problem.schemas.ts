import { type ViolationCode, maxViolations } from '../validation/violations.js';
import * as s from './schema.js';

const violationCodes: Record<ViolationCode, string> = {
  required: 'missing or null',
  type: 'of the wrong type',
  format: 'of the wrong form',
  length: 'too short or too long',
  range: 'too small or too great',
  unknown: 'no name that is known here',
  duplicate: 'given twice',
  not_allowed: 'not allowed here',
  too_many: 'too many of them',
  too_deep: 'nested too deep',
  too_large: 'too many bytes',
};
const meanings = Object.entries(violationCodes).map(([code, meaning]) => `\`${code}\`: ${meaning}`);

const problem = {
  type: s.string('`urn:problem:shipping:` and the code.', { format: 'uri' }),
  title: s.string(),
  status: s.integer(),
  code: s.string('Stable: what a program decides by.'),
  detail: s.string('One sentence for a person: what happened and what to do.'),
};

const extensions = {
  errors: s.array(s.ref('ShippingViolation'), {
    maxItems: maxViolations,
    description: 'Every violation of the request.',
  }),
  truncated: s.boolean(`True when there were more than ${maxViolations} violations.`),
  existing_id: s.string('With `duplicate_method`: the method that has the codes.'),
  identical: s.boolean(
    'With `duplicate_method` in a create: it stores just what was sent, a retry was safe.',
  ),
  max_methods: s.integer('With `too_many_methods`: how many methods a project may have.'),
  current_version: s.integer('With `version_mismatch`.'),
};

const violation = {
  code: s.string(meanings.join('; '), { enum: Object.keys(violationCodes) }),
  detail: s.string('One sentence for a person.'),
};

const place = {
  pointer: s.string('A JSON pointer (RFC 6901) into the body.'),
  parameter: s.string('A parameter of the path or the query.'),
  header: s.string(),
  allowed: s.array(s.string(), { description: 'What may stand there instead.' }),
};
const violationIs = 'What is wrong, and where: it has a `pointer`, a `parameter` or a `header`.';

export const problemSchemas: s.Schemas = {
  ShippingProblem: s.object('A refusal, after RFC 9457.', problem, extensions),
  ShippingViolation: s.object(violationIs, violation, place),
};
