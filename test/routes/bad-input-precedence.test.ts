import { type OutgoingHttpHeaders } from 'node:http';
import {
  answersExactly,
  type BadInput,
  violating,
  ground,
  invalidJson,
  methods,
  noMethod,
  noSuchMethod,
  noSuchRoute,
  orders,
  type Refusal,
  taken,
  tooLarge,
  unsupported,
  type Verdict,
} from '../support/bad-inputs.js';

const mismatch: Refusal = { status: 412, code: 'version_mismatch' };
const duplicate: Refusal = { status: 409, code: 'duplicate_method' };

const nowhere = methods.replace('{project}', '-');
const one = `${methods}/{id}`;
const malformed = { 'if-match': 'x' };
const stale = { 'if-match': '"7"' };
const large = `{${' '.repeat(1024 * 1024)}`;
const required = ['/carrier_code required', '/method_code required', '/method_label required'];

type Change = [given: string, path: string, headers: OutgoingHttpHeaders, body: unknown, answer: Verdict];

/** Each row corrects what the row before it was refused for. */
const ladder: Change[] = [
  ['everything wrong', `${nowhere}/x/y`, { 'content-type': 'text/plain', ...malformed }, large, noSuchRoute],
  [
    'everything wrong but the route',
    `${nowhere}/x`,
    { 'content-type': 'text/plain', ...malformed },
    large,
    unsupported,
  ],
  ['everything wrong but the route and the media type', `${nowhere}/x`, malformed, large, tooLarge],
  [
    'everything wrong but the route, the media type and the size',
    `${nowhere}/x`,
    malformed,
    '{',
    invalidJson,
  ],
  [
    'violations in path, header and body',
    `${nowhere}/x`,
    malformed,
    { ...ground, carrier_code: null, x: 1 },
    violating('project_id format', 'If-Match: format', '/carrier_code required', '/x unknown'),
  ],
  [
    'violations in path and header',
    `${nowhere}/x`,
    malformed,
    ground,
    violating('project_id format', 'If-Match: format'),
  ],
  [
    'a malformed If-Match and an unknown method',
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
];

const pairs: Change[] = [
  ['a malformed If-Match and no body', one, malformed, {}, violating('If-Match: format', ...required)],
  ['a stale If-Match and a bad body', one, stale, { ...ground, x: 1 }, violating('/x unknown')],
  ['an unknown method and a bad body', `${methods}/x`, {}, { ...ground, x: 1 }, violating('/x unknown')],
  ['an unknown method and If-Match: *', `${methods}/x`, { 'if-match': '*' }, ground, noSuchMethod],
];

/** The parser of Express runs before any route, so there a body that no route reads must be JSON too. */
const others: BadInput[] = [
  {
    given: 'a broken body for a missing route',
    method: 'POST',
    path: `${methods}/x`,
    body: '{',
    answer: noSuchRoute,
    express: invalidJson,
  },
  { given: 'a broken body', method: 'DELETE', path: one, body: '{', answer: 204, express: invalidJson },
  { given: 'a body', method: 'DELETE', path: one, body: { x: 1 }, answer: 204 },
  {
    given: 'a plain text',
    method: 'DELETE',
    path: one,
    headers: { 'content-type': 'text/plain' },
    body: 'x',
    answer: 204,
  },
  ...[';;', '', 'nonsense'].flatMap((type): BadInput[] => [
    {
      given: `no body as "${type}"`,
      method: 'DELETE',
      path: one,
      headers: { 'content-type': type },
      answer: 204,
    },
    {
      given: `no body as "${type}"`,
      method: 'GET',
      path: methods,
      headers: { 'content-type': type },
      answer: 200,
    },
  ]),
  {
    given: 'a broken body',
    method: 'GET',
    path: methods,
    headers: { 'content-length': 1 },
    body: '{',
    answer: 200,
    express: invalidJson,
  },
  {
    given: 'a bad project and a good body',
    method: 'POST',
    path: nowhere,
    body: ground,
    answer: violating('project_id format'),
  },
  {
    given: 'a bad project and a bad body',
    method: 'POST',
    path: nowhere,
    body: { ...ground, meta: [] },
    answer: violating('project_id format', '/meta type'),
  },
  {
    given: 'a bad project and no body',
    method: 'POST',
    path: nowhere,
    answer: violating('project_id format', ...required),
  },
  {
    given: 'a bad project and a list as the body',
    method: 'POST',
    path: nowhere,
    body: [],
    answer: violating('project_id format', '(body) type'),
  },
  {
    given: 'a bad project and a bad query',
    method: 'GET',
    path: `${nowhere}?page=0&filter[x]=1`,
    answer: violating('project_id format', 'page range', 'filter[x] unknown'),
  },
  ...[nowhere, `${nowhere}/tree`].flatMap((path): BadInput[] => [
    { given: 'a bad project', method: 'GET', path, answer: violating('project_id format') },
    {
      given: 'a bad project and If-None-Match: *',
      method: 'GET',
      path,
      headers: { 'if-none-match': '*' },
      answer: violating('project_id format'),
    },
  ]),
  {
    given: 'a bad project and an unknown method',
    method: 'DELETE',
    path: `${nowhere}/x`,
    answer: violating('project_id format'),
  },
  {
    given: 'a bad project and a bad order',
    method: 'GET',
    path: `${orders.replace('{project}', '-')}/-/events`,
    answer: violating('project_id format', 'order_id format'),
  },
];

answersExactly('which refusal wins', [
  ...[...ladder, ...pairs].map(([given, path, headers, body, answer]): BadInput => ({
    given,
    method: 'PATCH',
    path,
    headers,
    body,
    answer,
  })),
  ...others,
]);
