import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type WireAnswer } from '../../support/bad-inputs-wire.js';
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

function faultsOf(schema: Schema, value: unknown): string | undefined {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components });
  validators.set(schema, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

const problem: Schema = { $ref: '#/components/schemas/ShippingProblem' };
const insides = /node_modules|\.[jt]s:\d|typeorm|pglite|QueryFailed|syntax error|violates/i;

/** @returns what is wrong with the answer, judged by the document alone; undefined: nothing */
export function wrongWith(request: FuzzRequest, answer: WireAnswer): string | undefined {
  const { status, text } = answer;
  if (status >= 500) return `a ${status}`;
  if (status >= 400 && insides.test(text)) return 'a refusal that tells of our insides';
  const operation = operationOf(request.method, request.target);
  if (!operation) return wrongWithUnrouted(answer);
  if (request.isValid && [400, 413, 415].includes(status)) return 'a refusal of what the document allows';
  if (status < 400 && mustBeRefused(operation, request)) return 'served, though the document forbids it';
  return wrongWithContent(operation, answer);
}

/** No operation of the document: whatever part of the host refuses it, it says so as a problem. */
function wrongWithUnrouted({ status, text }: WireAnswer): string | undefined {
  if (status < 400) return `a ${status} of no documented operation`;
  return faultsOf(problem, parsed(text));
}

function wrongWithContent({ responses }: Operation, answer: WireAnswer): string | undefined {
  const { status, headers, text } = answer;
  // The host's own 404 of a route, such as an id that its router does not let through.
  if (status === 404 && !responses[404]) return wrongWithUnrouted(answer);
  const documented = responses[status];
  if (!documented) return `a ${status}, which the document does not have`;
  const missing = Object.keys(documented.headers ?? {}).find((name) => !(name.toLowerCase() in headers));
  if (missing !== undefined) return `no header ${missing}`;
  if (!documented.content) return text === '' ? undefined : 'a body where there is none';
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const schema = documented.content[type]?.schema;
  if (!schema) return `the content type "${type}"`;
  const faults = faultsOf(schema, parsed(text));
  if (status === 404 && faults !== undefined) return wrongWithUnrouted(answer);
  return faults;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A body that is no JSON in UTF-8, or not the JSON of the schema, its labels trimmed as its words say. */
function mustBeRefused({ requestBody }: Operation, { body }: FuzzRequest): boolean {
  const schema = jsonOf(requestBody?.content);
  if (!schema) return false;
  return faultsOf(schema, trimmed(decoded(body))) !== undefined;
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
