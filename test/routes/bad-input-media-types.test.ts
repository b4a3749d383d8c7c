import { gzipSync } from 'node:zlib';
import {
  answersExactly,
  type BadInput,
  violating,
  ground,
  invalidJson,
  methods,
  tooLarge,
  unsupported,
  type Verdict,
} from '../support/bad-inputs.js';

const good = JSON.stringify(ground);

/** The content type of a body. */
type Media = [type: string, body: string, answer: Verdict, express?: Verdict];

const form = 'application/x-www-form-urlencoded';

const media: Media[] = [
  ['application/json', good, 201],
  ['application/json; charset=utf-8', good, 201],
  ['application/json;charset="UTF-8"', good, 201],
  ['Application/JSON', good, 201],
  ['application/json ; charset=utf-8', good, 201],
  ['application/json; Charset=utf-8; x=y', good, 201],
  ['application/json; charset=latin1', good, unsupported],
  ['application/json; charset=iso-8859-1', good, unsupported],
  // Nest's own parser for Express decodes UTF-16, and the result is not JSON.
  ['application/json; charset=utf-16', good, unsupported, invalidJson],
  ['application/json; charset=utf-7', good, unsupported],
  ['text/plain', good, unsupported],
  ['text/json', good, unsupported],
  ['application/xml', '<x/>', unsupported],
  ['application/jsonp', good, unsupported],
  ['application/json-patch+json', '[]', unsupported],
  ['application/merge-patch+json', good, unsupported],
  ['multipart/form-data; boundary=x', '--x--', unsupported],
  [form, 'carrier_code=ups', unsupported],
  ['nonsense', good, unsupported],
  ['*/*', good, unsupported],
];

/** A 415 comes before anything that is wrong in the body. */
const worse: Media[] = [
  ['text/plain', '{', unsupported],
  ['application/json; charset=latin1', '{', unsupported],
  ['application/json; charset=utf-16', '{', unsupported],
  ['text/plain', 'x'.repeat(3_000_000), unsupported],
  ['application/json; charset=latin1', 'x'.repeat(3_000_000), unsupported],
  [form, `a=${'x'.repeat(200_000)}`, unsupported],
  [form, 'x&'.repeat(5_000), unsupported],
  [form, `a${'[a]'.repeat(5_000)}=1`, unsupported],
];

/** The value of `Content-Encoding`, and the bytes. */
type Coded = [given: string, coding: string, body: string | Buffer, answer: Verdict, express?: Verdict];

/** The sample accepts no coding. Nest's own parser for Express accepts gzip and Brotli, and limits the decoded size. */
const coded: Coded[] = [
  ['an unknown coding', 'nonsense', good, unsupported],
  ['a body that is not gzip', 'gzip', good, unsupported, invalidJson],
  ['a body that is not Brotli', 'br', good, unsupported, invalidJson],
  ['a body in gzip', 'gzip', gzipSync(good), unsupported, 201],
  ['a body in GZIP', 'GZIP', gzipSync(good), unsupported, 201],
  ['50 MB in 50 kB of gzip', 'gzip', gzipSync(' '.repeat(50_000_000)), unsupported, tooLarge],
];

const post = { method: 'POST', path: methods } as const;
const untyped = { 'content-type': undefined };
const nothing = violating('/carrier_code required', '/method_code required', '/method_label required');

answersExactly('the media type of a body', [
  ...[...media, ...worse].map(([type, body, answer, express = answer]): BadInput => {
    const what = body === good ? 'a good body' : body.length > 100 ? `${body.length} bytes` : body;
    const headers = { 'content-type': type };
    return { given: `${what} as ${type}`, method: 'POST', path: methods, headers, body, answer, express };
  }),
  ...coded.map(([given, coding, body, answer, express = answer]): BadInput => ({
    given,
    method: 'POST',
    path: methods,
    headers: { 'content-encoding': coding },
    body,
    answer,
    express,
  })),
  { ...post, given: 'a good body without a type', headers: untyped, body: good, answer: unsupported },
  {
    ...post,
    given: 'no body as text/plain',
    headers: { 'content-type': 'text/plain' },
    body: '',
    answer: nothing,
  },
]);
