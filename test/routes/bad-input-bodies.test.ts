import {
  answersExactly,
  type BadInput,
  violating,
  ground,
  invalidJson,
  methods,
  tooLarge,
  type Verdict,
} from '../support/bad-inputs.js';

/** The text of a body, its answer, and the answer of Nest's own Express setup where it differs. */
type Body = [given: string, body: string, answer: Verdict, express?: Verdict];

const good = JSON.stringify(ground);
const and = (members: string): string => good.replace('}', `,${members}}`);
const required = ['/carrier_code required', '/method_code required', '/method_label required'];
const nothing = violating(...required);
const noObject = violating('(body) type');
const mebibyte = 1024 * 1024;

const bodies: Body[] = [
  ['no body', '', nothing],
  ['the body {}', '{}', nothing],
  ['the body []', '[]', noObject],
  ['a list of good bodies', `[${good}]`, noObject],
  // The parser that Nest sets up for Express takes objects and arrays only.
  ['the body "x"', '"x"', noObject, invalidJson],
  ['the body 1', '1', noObject, invalidJson],
  ['the body null', 'null', noObject, invalidJson],
  ['the body true', 'true', noObject, invalidJson],
  ['a body of blanks', ' \r\n', invalidJson],
  ['a body that is not JSON', 'carrier_code=ups', invalidJson],
  ['a truncated body', good.slice(0, -5), invalidJson],
  ['a body with a comma too many', and(''), invalidJson],
  ['a body with text after it', `${good}{}`, invalidJson],
  ['a body with a comment', `${good}//`, invalidJson],
  ['a body with single quotes', good.replaceAll('"', "'"), invalidJson],
  ['NaN', and('"sort_order":NaN'), invalidJson],
  ['0x10', and('"sort_order":0x10'), invalidJson],
  ['a number with a leading zero', and('"sort_order":01'), invalidJson],
  ['a raw NUL in a string', good.replace('UPS', '\0'), invalidJson],
  ['a raw line break in a string', good.replace('UPS', '\n'), invalidJson],
  ['half a unicode escape', good.replace('UPS', String.raw`\ud8`), invalidJson],
  [
    'a lone surrogate as an escape',
    good.replace('UPS', String.raw`\ud800`),
    violating('/method_label format'),
  ],
  ['a NUL as an escape', good.replace('"03"', String.raw`"03\u0000"`), violating('/method_code format')],
  ['blanks around a body', ` \n${good}\t `, 201],
  ['a key twice, the last value good', and('"sort_order":"x","sort_order":1'), 201],
  ['a key twice, the last value bad', and('"sort_order":1,"sort_order":"x"'), violating('/sort_order type')],
  [
    'a required key twice, the last value null',
    and('"carrier_code":null'),
    violating('/carrier_code required'),
  ],
  ['a sort_order of 1e400', and('"sort_order":1e400'), violating('/sort_order range')],
  ['a sort_order of −1e400', and('"sort_order":-1e400'), violating('/sort_order range')],
  ['a sort_order of 500 digits', and(`"sort_order":${'9'.repeat(500)}`), violating('/sort_order range')],
  ['a sort_order of 1.0', and('"sort_order":1.0'), 201],
  ['a sort_order of 1e3', and('"sort_order":1e3'), 201],
  ['a sort_order of −0', and('"sort_order":-0'), 201],
  ['a field __proto__', and('"__proto__":{"is_active":false}'), violating('/__proto__ unknown')],
  [
    'a required field in __proto__ only',
    '{"__proto__":{"carrier_code":"ups"},"method_code":"03","method_label":"x"}',
    violating('/__proto__ unknown', '/carrier_code required'),
  ],
  [
    'a label nested 10,000 deep',
    and(`"carrier_label":${'['.repeat(10_000)}${']'.repeat(10_000)}`),
    violating('/carrier_label type'),
  ],
  ['10,000 levels of arrays', '['.repeat(10_000) + ']'.repeat(10_000), noObject],
  [
    '10,000 levels of objects',
    '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
    violating('/a unknown', ...required),
  ],
  ['1 MiB of opening brackets', '['.repeat(mebibyte), invalidJson],
  ['1 MiB of opening braces', '{"a":'.repeat(mebibyte / 5), invalidJson],
  ['a good body padded to 1 MiB', good.padEnd(mebibyte), 201],
  ['a good body padded to 1 MiB and a byte', good.padEnd(mebibyte + 1), tooLarge],
  [
    'a label of 900,000 letters',
    and(`"carrier_label":"${'x'.repeat(900_000)}"`),
    violating('/carrier_label length'),
  ],
  [
    'a code of 900,000 letters',
    and(`"carrier_code":"${'x'.repeat(900_000)}"`),
    violating('/carrier_code length'),
  ],
  ['a body of 3 MB', `"${'x'.repeat(3_000_000)}"`, tooLarge],
  ['3 MB of opening brackets', '['.repeat(3_000_000), tooLarge],
];

answersExactly(
  'a body as a whole',
  bodies.map(([given, body, answer, express = answer]): BadInput => ({
    given,
    method: 'POST',
    path: methods,
    body,
    answer,
    express,
  })),
);
