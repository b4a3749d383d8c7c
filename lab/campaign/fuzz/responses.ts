import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type WireResponse } from '../../../test/support/bad-inputs-wire.js';
import { components, jsonOf, type Operation, operationOf, type Schema } from './document.js';
import { type FuzzRequest } from './requests.js';

const ajv = new Ajv2020({
  strict: false,
  formats: {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    uri: /^[a-z]+:\S+$/,
    uuid: true,
    int32: true,
  },
});
const validators = new Map<Schema, ValidateFunction>();

function violationsOf(schema: Schema, value: unknown): string | undefined {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components });
  validators.set(schema, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

const problem: Schema = { $ref: '#/components/schemas/ShippingProblem' };
const internals = /node_modules|\.[jt]s:\d|typeorm|pglite|QueryFailed|syntax error|violates/i;

/** @returns what is wrong with the response according to the document alone; undefined when nothing is */
export function wrongWith(request: FuzzRequest, response: WireResponse): string | undefined {
  const { status, text } = response;
  if (status >= 500) return `a ${status}`;
  if (status >= 400 && internals.test(text)) return 'an error that shows our internals';
  const operation = operationOf(request.method, request.target);
  if (!operation) return wrongWithUnrouted(response);
  if (request.isValid && [400, 413, 415].includes(status)) return 'an error of what the document allows';
  if (status < 400 && mustBeRefused(operation, request)) return 'served, though the document forbids it';
  return wrongWithContent(operation, response);
}

/** For requests of no documented operation: whichever part of the host refuses them, it must respond with a problem. */
function wrongWithUnrouted({ status, text }: WireResponse): string | undefined {
  if (status < 400) return `a ${status} of no documented operation`;
  return violationsOf(problem, parsed(text));
}

function wrongWithContent({ responses }: Operation, response: WireResponse): string | undefined {
  const { status, headers, text } = response;
  // The host's own 404, for instance for an id that its router does not accept.
  if (status === 404 && !responses[404]) return wrongWithUnrouted(response);
  // Express gives every response an ETag of its own, also to the events: `If-None-Match: *` fits it.
  if (status === 304 && !responses[304]) return text === '' ? undefined : 'a 304 with a body';
  const documented = responses[status];
  if (!documented) return `a ${status}, which the document does not have`;
  const missing = Object.keys(documented.headers ?? {}).find((name) => !(name.toLowerCase() in headers));
  if (missing !== undefined) return `no header ${missing}`;
  if (!documented.content) return text === '' ? undefined : 'a body where there is none';
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const schema = documented.content[type]?.schema;
  if (!schema) return `the content type "${type}"`;
  const violations = violationsOf(schema, parsed(text));
  if (status === 404 && violations !== undefined) return wrongWithUnrouted(response);
  return violations;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether the body is not JSON in UTF-8, or its JSON does not fit the schema after the labels are trimmed. */
function mustBeRefused({ requestBody }: Operation, { body }: FuzzRequest): boolean {
  const schema = jsonOf(requestBody?.content);
  if (!schema) return false;
  return violationsOf(schema, trimmed(decoded(body))) !== undefined;
}

function decoded(body: FuzzRequest['body']): unknown {
  try {
    const bytes = Buffer.from(body ?? '');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function trimmed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const labels = Object.entries(value).map(([name, label]: [string, unknown]) =>
    name.endsWith('_label') && typeof label === 'string'
      ? [name, label.trim().normalize('NFC')]
      : [name, label],
  );
  return Object.fromEntries(labels) as unknown;
}
