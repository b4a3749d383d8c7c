import { creates } from './requests.js';
import { type BadInput, violating, invalidJson } from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

const good = JSON.stringify(ground);

/** A good body with these bytes in its label. */
const labelled = (...bytes: number[]): Buffer => {
  const [before = '', after = ''] = good.split('UPS');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};

/** On Express a parser decodes such bytes before our code runs, so nothing is tested there. */
const notUtf8: [given: string, body: Buffer][] = [
  ['a byte FF in a label', labelled(0xff)],
  ['a surrogate encoded by itself', labelled(0xed, 0xa0, 0x80)],
  ['a character cut in half', labelled(0xf0, 0x9f, 0x9a)],
];

const chunked = { 'transfer-encoding': 'chunked' };
const nothing = violating('/carrier_code required', '/method_code required', '/method_label required');

export const bytesAndFraming: BadInput[] = [
  ...creates(notUtf8.map(([given, body]) => [given, body, invalidJson, null])),
  ...creates([
    ['a NUL byte in a label', labelled(0), invalidJson],
    ['UTF-16', Buffer.from(`\uFEFF${good}`, 'utf16le'), invalidJson],
    ['a byte order mark', `\uFEFF${good}`, 201],
  ]),
  ...creates(
    [
      ['a body in chunks', good, 201],
      ['no body, in chunks', '', nothing],
    ],
    chunked,
  ),
];
