import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import {
  answersExactly,
  type BadInput,
  violating,
  ground,
  invalidJson,
  methods,
} from '../support/bad-inputs.js';
import { Client, freshProject } from '../support/client.js';

const good = JSON.stringify(ground);

/** A good body with these bytes in its label. */
const labelled = (...bytes: number[]): Buffer => {
  const [before = '', after = ''] = good.split('UPS');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};

/** On Express a parser decodes such bytes before our code runs, so nothing is tested there. */
const notUtf8: [given: string, body: Buffer][] = [
  ['a byte FF in a label', labelled(0xff)],
  ['a label in latin1', labelled(0x63, 0x61, 0x66, 0xe9)],
  ['an overlong encoding', labelled(0xc0, 0xaf)],
  ['a surrogate encoded by itself', labelled(0xed, 0xa0, 0x80)],
  ['a code point beyond U+10FFFF', labelled(0xf4, 0x90, 0x80, 0x80)],
  ['a character cut in half', labelled(0xf0, 0x9f, 0x9a)],
];

const post = { method: 'POST', path: methods } as const;
const chunked = { 'transfer-encoding': 'chunked' };
const nothing = violating('/carrier_code required', '/method_code required', '/method_label required');

answersExactly('bytes and framing', [
  ...notUtf8.map(([given, body]): BadInput => ({
    given,
    method: 'POST',
    path: methods,
    body,
    answer: invalidJson,
    express: null,
  })),
  { ...post, given: 'a NUL byte in a label', body: labelled(0), answer: invalidJson },
  { ...post, given: 'UTF-16', body: Buffer.from(`\uFEFF${good}`, 'utf16le'), answer: invalidJson },
  { ...post, given: 'a thousand zeros', body: Buffer.alloc(1_000), answer: invalidJson },
  { ...post, given: 'a byte order mark', body: `\uFEFF${good}`, answer: 201 },
  { ...post, given: 'a body in chunks', headers: chunked, body: good, answer: 201 },
  { ...post, given: 'no body, in chunks', headers: chunked, body: '', answer: nothing },
]);

describe.each(adapters)('broken and unusual bodies on %s:', (adapter) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ adapter });
  });
  afterAll(() => app?.close());

  it.each([1, 20, good.length - 1])('a body that ends after %i bytes stores nothing', async (length) => {
    const shop = new Client(app.origin, freshProject());
    const head = `POST ${shop.base}/shipments/methods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(new URL(app.origin).port), '127.0.0.1');

    socket.end(`${head}Content-Length: ${good.length}\r\n\r\n${good.slice(0, length)}`);
    socket.resume();
    await once(socket, 'close');

    const { status, body } = await shop.list();
    expect(status).toBe(200);
    expect(body.meta.total).toBe(0);
  });

  it('a sort_order of −0 counts as 0 in a retry and in an update', async () => {
    const shop = new Client(app.origin, freshProject());
    const minusZero = good.replace('}', ',"sort_order":-0}');
    const { body: created } = await shop.create(minusZero);

    const again = await shop.create(minusZero);
    const updated = await shop.update(created.id, minusZero);

    expect(again.body).toMatchObject({ code: 'duplicate_method', identical: true });
    expect(updated.body).toEqual(created);
  });
});
