import { type OutgoingHttpHeaders } from 'node:http';
import { type ProblemDetails } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Adapter, adapters, type TestApp, testApp } from './app.js';
import { send, type WireResponse } from './bad-inputs-wire.js';
import { Client, freshProject, ground } from './client.js';

/** The codes of a second method in the project, where a path has `{id}`. */
export const taken = { ...ground, method_code: '01' };
export const noMethod = '01890000-0000-7000-8000-000000000000';

/** `{project}` becomes a project that no other case uses, and `{id}` its method `ground` at version 1. */
export const orders = '/api/projects/{project}/sales/orders';
export const methods = `${orders}/shipments/methods`;

export interface ExpectedError {
  status: number;
  code: string;
  /** The place and the code of every violation, such as `/meta/a range`, `per_page format`, `If-Match: format`. */
  violations?: readonly string[];
  /** The values that the first violation allows. */
  allowed?: readonly string[];
  truncated?: true;
}

/** The status of an accepted input, or an error. */
export type Verdict = number | ExpectedError;

export interface BadInput {
  /** Describes the input in the title, after the HTTP method and `with`. */
  given: string;
  method: 'POST' | 'GET' | 'PATCH' | 'DELETE' | 'PUT';
  path: string;
  /** A header that is undefined is not sent. */
  headers?: OutgoingHttpHeaders;
  /** Text and bytes are sent as they are, anything else as JSON. */
  body?: unknown;
  /**
   * Null: Fastify, as Nest sets it up, responds before the module sees the input. Then only Express is tested here, and
   * `test/guide/express-and-fastify.test.ts` tests the responses of Fastify.
   */
  response: Verdict | null;
  /** The response on Express, if it differs because Nest's own body parser decides before any route. */
  express?: Verdict;
}

/** A 400 that names these violations. */
export function violating(...violations: readonly string[]): ExpectedError {
  const inBodyOnly = violations.every((violation) => /^[/(]/.test(violation));
  return { status: 400, code: inBodyOnly ? 'validation_failed' : 'invalid_parameter', violations };
}

export const invalidJson: ExpectedError = { status: 400, code: 'invalid_json' };
export const unsupported: ExpectedError = { status: 415, code: 'unsupported_media_type' };
export const tooLarge: ExpectedError = { status: 413, code: 'payload_too_large' };
export const noSuchMethod: ExpectedError = { status: 404, code: 'method_not_found' };
export const noSuchRoute: ExpectedError = { status: 404, code: 'not_found' };

/**
 * How much processor time an input may take, as a multiple of one small create. More means that the work grows with
 * the square of its length. The processor time of this process does not depend on how fast or busy the machine is.
 */
const mostCreates = 200;

/** The cost is in microseconds of processor time. */
async function costed<Result>(work: () => Promise<Result>): Promise<[Result, cost: number]> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [result, user + system];
}

/** Tests that each input gets its response, on each adapter. */
export function respondsExactly(name: string, inputs: readonly BadInput[]): void {
  describe.each(adapters)(`${name} on %s`, (adapter) => {
    let app: TestApp;
    let costOfCreate: number;
    beforeAll(async () => {
      app = await testApp({ adapter });
      const shop = new Client(app.origin, freshProject());
      const creates = Array.from({ length: 20 }, (_, n) => ({ ...ground, method_code: `${n}` }));
      const [, all] = await costed(async () => {
        for (const method of creates) await shop.create(method);
      });
      costOfCreate = all / creates.length;
    });
    afterAll(() => app?.close());

    it.each(casesFor(adapter, inputs))('%s', async (_title, input, verdict) => {
      const { path, body, headers } = await prepared(app, input);

      const [response, cost] = await costed(() => send(app.origin, input.method, path, headers, body));

      if (typeof verdict === 'number') expectAccepted(response, verdict);
      else expectRefused(response, verdict);
      expect(cost / costOfCreate).toBeLessThan(mostCreates);
    });
  });
}

function casesFor(adapter: Adapter, inputs: readonly BadInput[]): [string, BadInput, Verdict][] {
  return inputs.flatMap((input): [string, BadInput, Verdict][] => {
    const verdict = adapter === 'express' && input.express !== undefined ? input.express : input.response;
    const title = `${input.method} with ${input.given}`;
    return verdict === null ? [] : [[`${title} is ${inWords(verdict)}`, input, verdict]];
  });
}

function inWords(verdict: Verdict): string {
  if (typeof verdict === 'number') return `accepted: ${verdict}`;
  const { status, code, violations, truncated } = verdict;
  if (!violations) return `refused: ${status} ${code}`;
  const shown = truncated ? `${violations.length} violations, truncated` : violations.slice(0, 4).join(', ');
  return `refused: ${JSON.stringify(shown).slice(1, -1)}`;
}

const json = { 'content-type': 'application/json' };

async function prepared(
  app: TestApp,
  { path, headers, body }: BadInput,
): Promise<{ path: string; headers: OutgoingHttpHeaders; body: string | Buffer | undefined }> {
  const project = freshProject();
  let id = noMethod;
  if (path.includes('{id}')) {
    const shop = new Client(app.origin, project);
    id = (await shop.create(ground)).body.id;
    await shop.create(taken);
  }
  return {
    path: path.replace('{project}', project).replace('{id}', id),
    headers: { ...(body !== undefined && json), ...headers },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  };
}

const internals =
  /\(\S+:\d+:\d+\)|\\n *at |node_modules|\.[jt]s\b|typeorm|pglite|postgres|mysql|mariadb|sqlite|select |insert |QueryFailed|\$\d/i;

function expectAccepted({ status, text }: WireResponse, accepted: number): void {
  expect({ status, text }).toMatchObject({ status: accepted });
}

/** Expects exactly this problem, without internals in its text. */
function expectRefused({ status, headers, text }: WireResponse, error: ExpectedError): void {
  const problem = JSON.parse(text) as ProblemDetails;
  expect(problem).toMatchObject({
    type: `urn:problem:shipping:${error.code}`,
    title: expect.stringMatching(/./),
    status: error.status,
    code: error.code,
    detail: expect.stringMatching(/./),
  });
  expect(status).toBe(error.status);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(text).not.toMatch(internals);
  const { violations = [], truncated, allowed } = error;
  const found = (problem['errors'] ?? []) as WireViolation[];
  expect(found.map(named).toSorted()).toEqual(violations.toSorted());
  expect(problem['truncated']).toBe(truncated);
  expect(found[0] ?? {}).toMatchObject(allowed ? { allowed } : {});
}

interface WireViolation {
  pointer?: string;
  parameter?: string;
  header?: string;
  code: string;
  allowed?: string[];
}

function named({ pointer, parameter, header, code }: WireViolation): string {
  const place = pointer === '' ? '(body)' : (pointer ?? parameter ?? `${header}:`);
  return `${place} ${code}`;
}
