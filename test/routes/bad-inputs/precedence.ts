import { type OutgoingHttpHeaders } from 'node:http';
import {
  type BadInput,
  violating,
  invalidJson,
  methods,
  noMethod,
  noSuchMethod,
  noSuchRoute,
  orders,
  type ExpectedError,
  taken,
  tooLarge,
  unsupported,
  type Verdict,
} from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

const mismatch: ExpectedError = { status: 412, code: 'version_mismatch' };
const duplicate: ExpectedError = { status: 409, code: 'duplicate_method' };

const nowhere = methods.replace('{project}', '-');
const one = `${methods}/{id}`;
const malformed = { 'if-match': 'x' };
const malformedText = { 'content-type': 'text/plain', ...malformed };
const stale = { 'if-match': '"7"' };
const large = `{${' '.repeat(1024 * 1024)}`;
const required = ['/carrier_code required', '/method_code required', '/method_label required'];
const bad = { ...ground, x: 1 };
const inPath = violating('project_id format');
const inPathAndHeader = violating('project_id format', 'If-Match: format');
const inAll = violating('project_id format', 'If-Match: format', '/x unknown');

type Change = [
  given: string,
  path: string,
  headers: OutgoingHttpHeaders,
  body: unknown,
  response: BadInput['response'],
  express?: Verdict,
];

const changes: Change[] = [
  // Each row corrects the violation for which the row before it was refused.
  ['everything wrong', `${nowhere}/x/y`, malformedText, large, null, noSuchRoute],
  ['everything wrong but the route', `${nowhere}/x`, malformedText, large, null, unsupported],
  ['everything wrong but the route and the media type', `${nowhere}/x`, malformed, large, tooLarge],
  ['a broken body and violations in path and header', `${nowhere}/x`, malformed, '{', invalidJson],
  ['violations in path, header and body', `${nowhere}/x`, malformed, bad, inAll],
  ['violations in path and header', `${nowhere}/x`, malformed, ground, inPathAndHeader],
  [
    'a malformed If-Match, an unknown method',
    `${methods}/x`,
    malformed,
    ground,
    violating('If-Match: format'),
  ],
  ['a stale If-Match and an unknown method', `${methods}/${noMethod}`, stale, taken, noSuchMethod],
  ['a stale If-Match and taken codes', one, stale, taken, mismatch],
  ['taken codes', one, {}, taken, duplicate],
  ['taken codes, If-Match: *', one, { 'if-match': '*' }, taken, duplicate],
  ['nothing wrong', one, {}, ground, 200],

  ['a malformed If-Match and no body', one, malformed, {}, violating('If-Match: format', ...required)],
  ['a stale If-Match and a bad body', one, stale, bad, violating('/x unknown')],
  ['an unknown method and a bad body', `${methods}/x`, {}, bad, violating('/x unknown')],
  ['an unknown method and If-Match: *', `${methods}/x`, { 'if-match': '*' }, ground, noSuchMethod],
];

type Other = [
  BadInput['method'],
  given: string,
  path: string,
  sent: object,
  response: BadInput['response'],
  express?: Verdict,
];

const untyped = { headers: { 'content-type': 'nonsense' } };
const badEvents = `${orders.replace('{project}', '-')}/-/events`;

/** The parser of Express runs before any route, so there a body that no route reads must be JSON too. */
const others: Other[] = [
  ['POST', 'a broken body for a missing route', `${methods}/x`, { body: '{' }, null, invalidJson],
  ['DELETE', 'a broken body', one, { body: '{' }, null, invalidJson],
  ['DELETE', 'a body', one, { body: { x: 1 } }, 204],
  ['DELETE', 'a plain text', one, { headers: { 'content-type': 'text/plain' }, body: 'x' }, 204],
  ['DELETE', 'no body of a strange type', one, untyped, null, 204],
  ['GET', 'no body of a strange type', methods, untyped, 200],
  ['GET', 'a broken body', methods, { headers: { 'content-length': 1 }, body: '{' }, 200, invalidJson],
  ['POST', 'a bad project and a good body', nowhere, { body: ground }, inPath],
  ['POST', 'a bad project and no body', nowhere, {}, violating('project_id format', ...required)],
  ['POST', 'a bad project and a list', nowhere, { body: [] }, violating('project_id format', '(body) type')],
  ['GET', 'a bad project and page', `${nowhere}?page=0`, {}, violating('project_id format', 'page range')],
  ['GET', 'a bad project', `${nowhere}/tree`, {}, inPath],
  ['GET', 'a bad project, If-None-Match: *', nowhere, { headers: { 'if-none-match': '*' } }, inPath],
  ['DELETE', 'a bad project and an unknown method', `${nowhere}/x`, {}, inPath],
  ['GET', 'a bad project and order', badEvents, {}, violating('project_id format', 'order_id format')],
];

export const precedence: BadInput[] = [
  ...changes.map(([given, path, headers, body, response, express]): BadInput => ({
    given,
    method: 'PATCH',
    path,
    headers,
    body,
    response,
    express,
  })),
  ...others.map(([method, given, path, sent, response, express]): BadInput => ({
    given,
    method,
    path,
    ...sent,
    response,
    express,
  })),
];
