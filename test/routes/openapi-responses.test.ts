import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { type TestResponse, Client, ground } from '../support/client.js';
import {
  base,
  methods,
  operation,
  type Operation,
  parameter,
  type Schema,
  schemaOf,
} from '../support/openapi.js';

/** The places where a value differs from its schema: a wrong type, a missing field, an unknown field. */
function misfits(schema: Schema, value: unknown, at = ''): string[] {
  if (schema.$ref) return misfits(schemaOf(schema.$ref.split('/').at(-1) ?? ''), value, at);
  if (schema.allOf) return schema.allOf.flatMap((part) => misfits(part, value, at));
  if (schema.anyOf) {
    const found = schema.anyOf.map((part) => misfits(part, value, at));
    return found.some((each) => each.length === 0) ? [] : found.flat();
  }
  const types = new Set([schema.type ?? []].flat());
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (!types.has(type) && !(types.has('integer') && Number.isInteger(value))) return [`${at}: ${type}`];
  if (schema.enum && !schema.enum.includes(String(value))) return [`${at}: ${String(value)}`];
  if (schema.items && Array.isArray(value)) {
    return value.flatMap((member, index) => misfits(schema.items ?? {}, member, `${at}/${index}`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { properties, required = [] } = schema;
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}/${name}: missing`);
  // A part of an `allOf` describes only some of the fields.
  const isWhole = properties && required.length > 0;
  const unknown = Object.keys(value).filter((name) => isWhole && !(name in properties));
  const deeper = Object.entries(value).flatMap(([name, member]) =>
    properties?.[name] ? misfits(properties[name], member, `${at}/${name}`) : [],
  );
  return [...missing, ...unknown.map((name) => `${at}/${name}: unknown`), ...deeper];
}

describe('the running module', () => {
  const host = mounted();

  const fresh = (): Client => host.shop();
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  it('responds with exactly the documented status, headers and fields', async () => {
    const shop = fresh();
    const defaults = new Client(host.app.origin, 'default');
    await defaults.create({ ...ground, carrier_label: 'UPS', meta: { from: 'default' } });
    const first = await shop.create({ ...ground, use_default: true });
    const other = await shop.create({ ...ground, method_code: '01', use_default: ['meta', 'is_active'] });
    const orderId = '1000042';
    const actor = { type: 'user', id: '7' } as const;
    await host.events.record({ projectId: shop.project, orderId }, { type: 'shipment.dispatched', actor });
    await host.events.record({ projectId: shop.project, orderId }, { type: 'host.own_kind', actor: null });
    const list = await shop.list();
    const one = `${methods}/{method_id}`;
    const id = first.body.id;

    const responses: [Operation, TestResponse<unknown>][] = [
      [operation('post', methods), first],
      [operation('get', methods), list],
      [operation('get', methods), await shop.list('', { 'if-none-match': list.headers.get('etag') ?? '' })],
      [operation('get', `${methods}/tree`), await shop.tree()],
      [operation('get', `${base}/{order_id}/events`), await shop.events(orderId)],
      [operation('post', methods), await shop.create({ ...ground, meta: [], x: 1 })],
      [operation('post', methods), await shop.create('{')],
      [operation('post', methods), await shop.create(ground)],
      [operation('post', methods), await shop.create('x', { 'content-type': 'text/plain' })],
      [operation('post', methods), await shop.create({ ...ground, x: 'x'.repeat(2 ** 20) })],
      [operation('get', methods), await shop.list('page=0&q=a&q=b')],
      [operation('patch', one), await shop.update(id, { ...ground, is_active: false })],
      [operation('patch', one), await shop.update(id, { ...ground, method_code: '01' })],
      [operation('patch', one), await shop.update('none', ground)],
      [operation('patch', one), await shop.update(id, ground, { 'if-match': '"9"' })],
      [operation('delete', one), await shop.remove(id, { 'if-match': 'x' })],
      [operation('delete', one), await shop.remove(id)],
    ];

    const statuses = responses.map(([, { status }]) => status);
    expect(statuses).toEqual([
      201, 200, 304, 200, 200, 400, 400, 409, 415, 413, 400, 200, 409, 404, 412, 400, 204,
    ]);
    expect(first.body.inherited).not.toEqual(other.body.inherited);
    for (const [{ operationId, responses: allDocumented }, { status, headers, body }] of responses) {
      const documented = allDocumented[status];
      const [type] = Object.keys(documented?.content ?? {});
      const schema = documented?.content?.[type ?? '']?.schema;
      expect(headers.get('content-type')?.split(';')[0]).toBe(type);
      for (const name of Object.keys(documented?.headers ?? {})) expect(headers.get(name)).toBeTruthy();
      expect([operationId, status, ...(schema ? misfits(schema, body) : [])]).toEqual([operationId, status]);
    }
  });

  it.each([
    ['page', 'per_page=1&page='],
    ['per_page', 'per_page='],
  ])('takes %s at its two documented bounds, and refuses the numbers beyond them', async (name, query) => {
    const { minimum, maximum } = parameter(name);
    const shop = fresh();
    const statusOf = async (value: number): Promise<number> => (await shop.list(`${query}${value}`)).status;

    const taken = [await statusOf(minimum), await statusOf(maximum)];
    const refused = [await statusOf(minimum - 1), await statusOf(maximum + 1)];

    expect([taken, refused]).toEqual([
      [200, 200],
      [400, 400],
    ]);
  });

  it('takes q at its documented length, and refuses a longer one', async () => {
    const { maxLength } = parameter('q');
    const shop = fresh();

    const [longest, longer] = ['é'.repeat(maxLength), 'é'.repeat(maxLength + 1)];

    expect((await shop.list(`q=${longest}`)).status).toBe(200);
    expect((await shop.list(`q=${longer}`)).status).toBe(400);
  });
});
