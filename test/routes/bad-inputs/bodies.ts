import { type Body, creates } from './requests.js';
import { violating, invalidJson, tooLarge } from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

const good = JSON.stringify(ground);
const and = (members: string): string => good.replace('}', `,${members}}`);
const required = ['/carrier_code required', '/method_code required', '/method_label required'];
const nothing = violating(...required);
const noObject = violating('(body) type');
const mebibyte = 1024 * 1024;

const bodies: Body[] = [
  ['no body', '', null, nothing],
  ['the body []', '[]', noObject],
  ['a list of good bodies', `[${good}]`, noObject],
  // The parser that Nest sets up for Express takes objects and arrays only.
  ['the body "x"', '"x"', noObject, invalidJson],
  ['the body null', 'null', noObject, invalidJson],
  ['the body true', 'true', noObject, invalidJson],
  ['a body that is not JSON', 'carrier_code=ups', invalidJson],
  ['a truncated body', good.slice(0, -5), invalidJson],
  ['a body with a comment', `${good}//`, invalidJson],
  ['NaN', and('"sort_order":NaN'), invalidJson],
  ['a raw NUL in a string', good.replace('UPS', '\0'), invalidJson],
  ['a raw line break in a string', good.replace('UPS', '\n'), invalidJson],
  ['a key twice, the last value good', and('"sort_order":"x","sort_order":1'), 201],
  ['a key twice, the last value bad', and('"sort_order":1,"sort_order":"x"'), violating('/sort_order type')],
  [
    'a required key twice, the last value null',
    and('"carrier_code":null'),
    violating('/carrier_code required'),
  ],
  ['a sort_order of 1e400', and('"sort_order":1e400'), violating('/sort_order range')],
  ['a sort_order of 1.0', and('"sort_order":1.0'), 201],
  ['a field __proto__', and('"__proto__":{"is_active":false}'), null, violating('/__proto__ unknown')],
  [
    'a required field in __proto__ only',
    '{"__proto__":{"carrier_code":"ups"},"method_code":"03","method_label":"x"}',
    null,
    violating('/__proto__ unknown', '/carrier_code required'),
  ],
  [
    'a label nested 10,000 deep',
    and(`"carrier_label":${'['.repeat(10_000)}${']'.repeat(10_000)}`),
    violating('/carrier_label type'),
  ],
  ['10,000 levels of arrays', '['.repeat(10_000) + ']'.repeat(10_000), noObject],
  ['1 MiB of opening brackets', '['.repeat(mebibyte), invalidJson],
  ['1 MiB of opening braces', '{"a":'.repeat(mebibyte / 5), invalidJson],
  ['a good body padded to 1 MiB', good.padEnd(mebibyte), 201],
  ['a good body padded to 1 MiB and a byte', good.padEnd(mebibyte + 1), tooLarge],
  [
    'a label of 900,000 letters',
    and(`"carrier_label":"${'x'.repeat(900_000)}"`),
    violating('/carrier_label length'),
  ],
  ['a body of 3 MB', `"${'x'.repeat(3_000_000)}"`, tooLarge],
];

export const wholeBodies = creates(bodies);
