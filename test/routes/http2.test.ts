import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type ProblemDetails, type ShippingMethodDto, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { Client, freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const sent = JSON.stringify({ ...ground, meta: { text: 'é😀' } });
const json = { 'content-type': 'application/json' };

describe('over HTTP/2 on Fastify,', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  let session: ClientHttp2Session;
  let path: string;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter({ http2: true }), {
      logger: ['error', 'warn'],
    });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    session = connect(`http://127.0.0.1:${port}`);
    path = `${new Client('', freshProject()).base}/shipments/methods`;
  });
  afterAll(async () => {
    session?.close();
    await app?.close();
    await database?.close();
  });

  /** @param pieces of a body without Content-Length; without pieces the request has no body */
  const send = async (
    method: string,
    to: string,
    pieces: readonly (string | Buffer)[] = [],
    headers: Record<string, string> = {},
  ) => {
    const stream = session.request(
      { ':method': method, ':path': to, ...headers },
      { endStream: pieces.length === 0 },
    );
    const responded = once(stream, 'response');
    for (const piece of pieces) stream.write(piece);
    stream.end();
    const [head] = await responded;
    const read = await text(stream);
    const body = (read === '' ? {} : JSON.parse(read)) as ShippingMethodDto & ProblemDetails;
    const { etag, location, 'content-type': type } = head as Record<string, string | undefined>;
    return { status: Number(head[':status']), etag: etag ?? '', location, type, body, read };
  };

  it('a body without a length is read, whole or in pieces', async () => {
    const halves = [Buffer.from(sent).subarray(0, 90), Buffer.from(sent).subarray(90)];

    const created = await send('POST', path, [sent], json);
    const one = `${path}/${created.body.id}`;
    const updated = await send('PATCH', one, halves, { ...json, 'if-match': created.body.etag });
    const renamed = await send('PATCH', one, [sent.replace('UPS', 'Ups')], json);

    expect([created.status, created.body]).toMatchObject([201, { ...ground, meta: { text: 'é😀' } }]);
    expect([updated.status, updated.body]).toEqual([200, created.body]);
    expect([renamed.status, renamed.etag, renamed.body.method_label]).toEqual([200, '"2"', 'Ups Ground']);
  });

  it.each<[given: string, pieces: string[]]>([
    ['no body', []],
    ['an empty body', ['']],
    ['a body without a type', [sent]],
  ])('%s is read as an empty object', async (_given, pieces) => {
    const { status, body } = await send('POST', path, pieces);

    expect([status, body.code, body.errors]).toMatchObject([400, 'validation_failed', { length: 3 }]);
  });

  it.each([
    ['text/plain', 415, 'unsupported_media_type'],
    ['application/json; charset=latin1', 415, 'unsupported_media_type'],
  ])('a body of the type %s is refused', async (type, status, code) => {
    const refused = await send('POST', path, [sent], { 'content-type': type });

    expect([refused.status, refused.body]).toMatchObject([status, { code }]);
  });

  it('responses and errors are the same as over HTTP/1.1', async () => {
    const created = await send('POST', path, [JSON.stringify({ ...ground, method_code: 'new' })], json);
    const one = `${path}/${created.body.id}`;

    const stale = await send('DELETE', one, [], { 'if-match': '"9"' });
    const bad = await send('GET', `${path}?page=0`);
    const head = await send('HEAD', path);

    expect(created.location).toBe(one);
    expect([stale.status, stale.type, stale.body]).toMatchObject([
      412,
      'application/problem+json',
      { code: 'version_mismatch', current_version: 1 },
    ]);
    expect([bad.status, bad.body.code]).toEqual([400, 'invalid_parameter']);
    expect([head.status, head.read, head.etag]).toEqual([200, '', (await send('GET', path)).etag]);
  });
});
