import { type Fault, type FaultCode, maxFaults } from '../validation/faults.js';
import { array, boolean, integer, type Properties, ref, type Schema, string } from './schema.js';

const faultCodes: Record<FaultCode, string> = {
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

const faultProperties: Properties<keyof Fault> = {
  code: {
    ...string,
    enum: Object.keys(faultCodes),
    description: Object.entries(faultCodes)
      .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
      .join('; '),
  },
  detail: { ...string, description: 'One sentence for a person.' },
  allowed: { ...array(string), description: 'What may stand there instead.' },
};

export const problemSchemas: Record<string, Schema> = {
  ShippingProblem: {
    type: 'object',
    description: 'A refusal, after RFC 9457.',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { ...string, format: 'uri', description: '`urn:problem:shipping:` and the code.' },
      title: string,
      status: integer,
      code: { ...string, description: 'Stable: what a program decides by.' },
      detail: { ...string, description: 'One sentence for a person: what happened and what to do.' },
      errors: {
        ...array(ref('ShippingFault')),
        maxItems: maxFaults,
        description: 'Every fault of the request.',
      },
      truncated: { ...boolean, description: `True when there were more than ${maxFaults} faults.` },
      existing_id: { ...string, description: 'With `duplicate_method`: the method that has the codes.' },
      identical: {
        ...boolean,
        description: 'With `duplicate_method` in a create: it stores just what was sent, a retry was safe.',
      },
      current_version: { ...integer, description: 'With `version_mismatch`.' },
    },
  },
  ShippingFault: {
    type: 'object',
    description: 'What is wrong, and where: it has a `pointer`, a `parameter` or a `header`.',
    required: ['code', 'detail'],
    properties: {
      pointer: { ...string, description: 'A JSON pointer (RFC 6901) into the body.' },
      parameter: { ...string, description: 'A parameter of the path or the query.' },
      header: string,
      ...faultProperties,
    },
  },
};
