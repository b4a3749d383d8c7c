import { creates } from './requests.js';
import { type Verdict } from '../../support/bad-inputs.js';
import { type BadInput, violating, methods } from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

/** `meta` is JSON text, because some of it has no JavaScript value. The violations follow, if there are any. */
type Meta = [given: string, meta: string, ...violations: string[]];

const objects = (levels: number, innermost = '1'): string =>
  '{"a":'.repeat(levels) + innermost + '}'.repeat(levels);
const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const stuffed = (bytes: number, filling = 'x'): string => {
  const room = bytes - '{"a":""}'.length;
  const size = Buffer.byteLength(filling);
  return `{"a":"${'x'.repeat(room % size)}${filling.repeat(Math.floor(room / size))}"}`;
};
const list = (length: number, element: string): string => `{"a":[${Array(length).fill(element).join()}]}`;
const places = (length: number, code: string): string[] =>
  Array.from({ length }, (_, index) => `/meta/a/${index} ${code}`);

const a = (times: number): string => '/a'.repeat(times);

const metas: Meta[] = [
  ['meta of null', 'null'],
  ['meta of {}', '{}'],
  ['meta that is an array', '[]', '/meta type'],

  ['meta of 8 levels of objects', objects(8)],
  ['meta of 9 levels of objects', objects(9), `/meta${a(8)} too_deep`],
  ['meta of 9 levels, eight of them arrays', `{"a":${arrays(8)}}`, '/meta/a/0/0/0/0/0/0/0 too_deep'],
  ['meta of 10,000 levels of arrays', `{"a":${arrays(10_000)}}`, '/meta/a/0/0/0/0/0/0/0 too_deep'],
  ['meta of 150,000 levels', objects(150_000), `/meta${a(8)} too_deep`],
  ['meta of 500,000 zeros', list(500_000, '0'), '/meta too_large'],
  ['meta of 60 numbers of 300 decimals', list(60, '1e-300'), '/meta too_large'],
  [
    'meta both too large and with a NUL',
    stuffed(20_000).replace('}', String.raw`,"b":"\u0000"}`),
    '/meta/b format',
    '/meta too_large',
  ],

  ['a NUL in a value of meta', String.raw`{"a":["x\u0000"]}`, '/meta/a/0 format'],
  ['a NUL in a key of meta', String.raw`{"x\u0000":1}`, '/meta/x\0 format'],
  ['a high surrogate alone in meta', String.raw`{"a":"\ud83d"}`, '/meta/a format'],
  ['a pair of surrogates as escapes in meta', String.raw`{"a":"\ud83d\ude9a"}`],
  ['a lone surrogate in a key of meta', String.raw`{"\ud800":1}`, '/meta/\uFFFD format'],
  ['other control characters and U+202E in meta', String.raw`{"a":"\u0001\n\u007f\u202e"}`],

  ['the integers ±(2^53−1) in meta', '{"a":[9007199254740991,-9007199254740991]}'],
  ['the integer 2^53 in meta', '{"a":9007199254740992}', '/meta/a range'],
  ['the integer −2^53 in meta', '{"a":-9007199254740992}', '/meta/a range'],
  ['1e400 in meta', '{"a":{"b":1e400}}', '/meta/a/b range'],
  ['numbers with a fraction in meta', '{"a":[0.1,1.5e-300,-0.0]}'],

  ['keys of meta that only look dangerous', '{"hasOwnProperty":1,"toJSON":2,"__PROTO__":3,"":4}'],
  ['a key of meta that needs escapes in a pointer', '{"a/b":{"~":1e400}}', '/meta/a~1b/~0 range'],
  ['a key twice in meta, the last value good', '{"a":1e400,"a":1}'],
  ['a key twice in meta, the last value bad', '{"a":1,"a":1e400}', '/meta/a range'],

  ['50 violations in meta', list(50, '1e400'), ...places(50, 'range')],
];

/** The parser of Fastify refuses these keys by itself. */
const forbiddenKeys: Meta[] = [
  ['__proto__ at the first level of meta', '{"__proto__":{"x":1}}', '/meta/__proto__ not_allowed'],
  ['__proto__ written with escapes', String.raw`{"\u005f_proto__":1}`, '/meta/__proto__ not_allowed'],
  [
    'all three forbidden keys in meta',
    '{"__proto__":1,"constructor":1,"a":{"prototype":1}}',
    '/meta/__proto__ not_allowed',
    '/meta/constructor not_allowed',
    '/meta/a/prototype not_allowed',
  ],
];

const withMeta = (meta: string): string => JSON.stringify(ground).replace('}', `,"meta":${meta}}`);
const truncated: Verdict = { ...violating(...places(50, 'range')), truncated: true };

export const metaField: BadInput[] = [
  ...creates(
    metas.map(([given, meta, ...all]) => [given, withMeta(meta), all.length > 0 ? violating(...all) : 201]),
  ),
  ...creates(forbiddenKeys.map(([given, meta, ...all]) => [given, withMeta(meta), null, violating(...all)])),
  ...creates([['51 violations in meta', withMeta(list(51, '1e400')), truncated]]),
  {
    given: '10,000 violations in meta',
    method: 'PATCH',
    path: `${methods}/{id}`,
    body: withMeta(list(10_000, '1e400')),
    response: truncated,
  },
];
