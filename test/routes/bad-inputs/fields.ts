import { type BadInput, methods, violating } from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';
import { creates } from './requests.js';

// The rules are tested in `upsert-shipping-method.check.spec.ts`. These inputs test how both adapters pass a body on.

const inAll = violating(
  '/carrier_code required',
  '/carrier_label type',
  '/method_code length',
  '/method_label format',
  '/is_active type',
  '/meta type',
  '/x unknown',
);
const codes = { carrier_code: null, carrier_label: 1, method_code: '' };
const bad = { ...codes, method_label: '\0', is_active: 'yes', meta: [], x: 1 };
const marks = `a${'\u0301\u0316'.repeat(60_000)}`;

export const eachField: BadInput[] = [
  ...creates([
    ['a violation in each field', bad, inAll],
    [
      'codes of astral letters',
      { ...ground, carrier_code: '𝒰'.repeat(64), method_code: '𝒰'.repeat(128) },
      201,
    ],
    [
      'a code with every sign of ASCII',
      { ...ground, method_code: `!"#$%&'()*+,-./ :;<=>?@[\\]^_\`{|}~` },
      201,
    ],
    ['a code with a BOM', { ...ground, carrier_code: '\uFEFFups' }, violating('/carrier_code format')],
    [
      'a label that nobody can see',
      { ...ground, method_label: '\u200B\u3164' },
      violating('/method_label format'),
    ],
    ['a label of 255 emoji', { ...ground, method_label: '🚚'.repeat(255) }, 201],
    [
      'a label of 120,000 combining marks',
      { ...ground, method_label: marks },
      violating('/method_label length'),
    ],
    ['a lone surrogate', { ...ground, method_label: 'a\uD83D' }, violating('/method_label format')],
    ['the greatest sort_order', { ...ground, sort_order: 2_147_483_647 }, 201],
    ['a field "constructor"', { ...ground, constructor: {} }, violating('/constructor unknown')],
    ['a field without a name', { ...ground, '': 1 }, violating('/ unknown')],
  ]),
  {
    given: 'a field without those that are required',
    method: 'PATCH',
    path: `${methods}/{id}`,
    body: { is_active: false },
    response: violating('/carrier_code required', '/method_code required', '/method_label required'),
  },
  {
    given: 'a violation in each field',
    method: 'PATCH',
    path: `${methods}/{id}`,
    body: bad,
    response: inAll,
  },
];
