import { creates } from './requests.js';
import { gzipSync } from 'node:zlib';
import {
  type BadInput,
  violating,
  invalidJson,
  tooLarge,
  unsupported,
  type Verdict,
} from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

const good = JSON.stringify(ground);

/** The content type of a body. */
type Media = [type: string, body: string, response: BadInput['response'], express?: Verdict];

const form = 'application/x-www-form-urlencoded';

const media: Media[] = [
  ['application/json', good, 201],
  ['application/json; charset=utf-8', good, 201],
  ['application/json;charset="UTF-8"', good, 201],
  ['Application/JSON', good, 201],
  ['application/json; Charset=utf-8; x=y', good, 201],
  ['application/json; charset=latin1', good, unsupported],
  ['application/json; charset=us-ascii', good, unsupported],
  // Nest's own parser for Express decodes UTF-16, and the result is not JSON.
  ['application/json; charset=utf-16', good, unsupported, invalidJson],
  ['text/plain', good, unsupported],
  ['application/merge-patch+json', good, unsupported],
  ['multipart/form-data; boundary=x', '--x--', unsupported],
  [form, 'carrier_code=ups', unsupported],
  ['nonsense', good, unsupported],
];

/** A 415 comes before anything that is wrong in the body. */
const worse: Media[] = [
  ['text/plain', '{', unsupported],
  ['text/plain', 'x'.repeat(3_000_000), null, unsupported],
  [form, `a=${'x'.repeat(200_000)}`, unsupported],
  [form, 'x&'.repeat(5_000), unsupported],
];

/** The value of `Content-Encoding`, and the bytes. */
type Coded = [
  given: string,
  coding: string,
  body: string | Buffer,
  response: BadInput['response'],
  express?: Verdict,
];

/** Nest's own parser for Express accepts gzip and Brotli, and limits the decoded size. */
const coded: Coded[] = [
  ['an unknown coding', 'nonsense', good, unsupported],
  ['a body that is not gzip', 'gzip', good, null, { status: 400, code: 'bad_request' }],
  ['a body in gzip', 'gzip', gzipSync(good), null, 201],
  ['50 MB in 50 kB of gzip', 'gzip', gzipSync(' '.repeat(50_000_000)), null, tooLarge],
];

const nothing = violating('/carrier_code required', '/method_code required', '/method_label required');
const sizeOf = (body: string): string =>
  body === good ? 'a good body' : body.length > 100 ? `${body.length} bytes` : body;

export const mediaTypes: BadInput[] = [
  ...[...media, ...worse].flatMap(([type, body, ...responses]) =>
    creates([[`${sizeOf(body)} as ${type}`, body, ...responses]], { 'content-type': type }),
  ),
  ...coded.flatMap(([given, coding, ...rest]) => creates([[given, ...rest]], { 'content-encoding': coding })),
  ...creates([['a good body without a type', good, unsupported]], { 'content-type': undefined }),
  ...creates([['no body as text/plain', '', nothing]], { 'content-type': 'text/plain' }),
];
