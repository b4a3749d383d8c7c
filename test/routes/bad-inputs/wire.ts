import { creates } from './requests.js';
import { type BadInput, violating, invalidJson } from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

const good = JSON.stringify(ground);

const chunked = { 'transfer-encoding': 'chunked' };
const nothing = violating('/carrier_code required', '/method_code required', '/method_label required');

export const bytesAndFraming: BadInput[] = [
  ...creates([
    ['UTF-16', Buffer.from(`\uFEFF${good}`, 'utf16le'), invalidJson],
    ['a byte order mark', `\uFEFF${good}`, 201],
  ]),
  ...creates(
    [
      ['a body in chunks', good, 201],
      ['no body, in chunks', '', null, nothing],
    ],
    chunked,
  ),
];
