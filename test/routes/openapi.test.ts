import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { OrderEvents } from 'nestjs-shipping';
import { documentShipping, shippingDocument, shippingSchemas } from 'nestjs-shipping/openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { type Answer, Client, freshProject } from '../support/client.js';

interface Schema {
  $ref?: string;
  type?: string | string[];
  nullable?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  enum?: string[];
  description?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Parameter {
  name: string;
  in: string;
  description: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  parameters: Parameter[];
  responses: Record<string, { headers?: object; content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The document as its readers get it. */
const read = (document: object): Document => JSON.parse(JSON.stringify(document)) as Document;
const document = read(shippingDocument());
const base = '/api/projects/{project_id}/sales/orders';
const methods = `${base}/shipments/methods`;
const operation = (method: string, path: string): Operation => document.paths[path]?.[method] as Operation;
const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, found]): [string, Operation] => [`${method} ${path}`, found]),
  );
const schemaOf = (name: string): Schema => document.components.schemas[name] as Schema;
const field = (name: string): Required<Schema> =>
  schemaOf('UpsertShippingMethodRequest').properties?.[name] as Required<Schema>;
const parameter = (name: string, from = operation('get', methods)): Required<Schema> => {
  const found = from.parameters.find((candidate) => candidate.name === name);
  const description = found?.description;
  return {
    description,
    ...found?.schema,
  } as Required<Schema>;
};
const numberIn = (text: string, unit: RegExp): number => Number(unit.exec(text)?.[1]);

/** The places where a value differs from its schema: a wrong type, a missing field, an unknown field. */
function misfits(schema: Schema, value: unknown, at = ''): string[] {
  if (schema.$ref) return misfits(schemaOf(schema.$ref.split('/').at(-1) ?? ''), value, at);
  if (schema.allOf) return schema.allOf.flatMap((part) => misfits(part, value, at));
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

describe('the OpenAPI document', () => {
  it('has the six routes, each with its own operationId and a description', () => {
    const found = operationsOf(document);

    expect(found.map(([route]) => route)).toEqual([
      `post ${methods}`,
      `get ${methods}`,
      `get ${methods}/tree`,
      `patch ${methods}/{method_id}`,
      `delete ${methods}/{method_id}`,
      `get ${base}/{order_id}/events`,
    ]);
    expect(new Set(found.map(([, { operationId }]) => operationId)).size).toBe(6);
    for (const [, each] of found) {
      expect(each).toMatchObject({
        summary: expect.stringMatching(/\w/),
        description: expect.stringMatching(/\w/),
      });
    }
  });

  it('declares each parameter of each path, and has exactly the schemas that it refers to', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);

    expect(new Set([...references].map(([, name]) => name))).toEqual(
      new Set(Object.keys(document.components.schemas)),
    );
    for (const [route, { parameters }] of operationsOf(document)) {
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(inPath));
    }
  });

  it('marks nullable fields as its version of OpenAPI does', () => {
    const info = { title: 'Shop', version: '1' };

    const older = read(documentShipping({ openapi: '3.0.0', info, paths: {} }));

    const label = older.components.schemas['ShippingMethod']?.properties?.['carrier_label'];
    expect(label).toMatchObject({ type: 'string', nullable: true });
    expect(schemaOf('ShippingMethod').properties?.['carrier_label']?.type).toEqual(['string', 'null']);
    expect(JSON.stringify(older)).not.toMatch(/"type":\[/);
  });

  it("keeps the host's own paths, schemas, security and responses, and does not change the given document", () => {
    const carts = { get: { operationId: 'carts', responses: { 200: { description: 'Carts' } } } };
    const scanned = {
      operationId: 'ShippingMethodsController_create',
      security: [{ bearer: [] }],
      responses: { 201: { description: '' }, 401: { description: 'No token' } },
    };
    const host = {
      openapi: '3.0.0',
      info: { title: 'Shop', version: '1' },
      tags: [{ name: 'shop' }],
      paths: { '/carts': carts, [methods]: { post: scanned, put: carts.get } },
      components: { schemas: { Cart: { type: 'object' } }, securitySchemes: { bearer: { type: 'http' } } },
    };
    const before = structuredClone(host);

    const documented = documentShipping(host);

    expect(host).toEqual(before);
    expect(documented).toMatchObject({
      tags: expect.arrayContaining(host.tags),
      paths: { '/carts': carts, [methods]: { put: carts.get } },
      components: host.components,
    });
    expect(documented.paths[methods]?.post).toMatchObject({
      operationId: 'createShippingMethod',
      security: [{ bearer: [] }],
      responses: { 201: { content: {} }, 401: { description: 'No token' } },
    });
    expect(documentShipping(documented)).toEqual(documented);
  });

  it("has our schema where one of the host's has the same name", () => {
    const info = { title: 'Shop', version: '1' };
    const schemas = { ShippingMethod: { type: 'string' }, Cart: { type: 'object' } };

    const documented = documentShipping({ openapi: '3.1.0', info, paths: {}, components: { schemas } });

    expect(read(documented).components.schemas['ShippingMethod']).toEqual(schemaOf('ShippingMethod'));
    expect(documented.components.schemas.Cart).toEqual(schemas.Cart);
  });

  it('has the title and the version that the host gives it', () => {
    const info = { title: 'Shop', version: '7.1.0' };

    expect(shippingDocument(info).info).toMatchObject(info);
  });

  it('names the headers of each answer, and those that a request may have', () => {
    const headersOf = ({ responses }: Operation): string[] =>
      Object.entries(responses)
        .map(([status, { headers = {} }]) => [status, ...Object.keys(headers)])
        .filter(({ length }) => length > 1)
        .map((named) => named.join(' '));
    const takenBy = ({ parameters }: Operation): string[] =>
      parameters.filter((each) => each.in === 'header').map(({ name }) => name);

    const named = operationsOf(document).map(([route, each]) => [route, takenBy(each), headersOf(each)]);

    const validated = ['200 ETag Cache-Control', '304 ETag Cache-Control', '503 Retry-After'];
    expect(named).toEqual([
      [`post ${methods}`, [], ['201 ETag Location', '503 Retry-After']],
      [`get ${methods}`, ['If-None-Match'], validated],
      [`get ${methods}/tree`, ['If-None-Match'], validated],
      [`patch ${methods}/{method_id}`, ['If-Match'], ['200 ETag', '503 Retry-After']],
      [`delete ${methods}/{method_id}`, ['If-Match'], ['503 Retry-After']],
      [`get ${base}/{order_id}/events`, [], ['503 Retry-After']],
    ]);
  });

  it('gives no field of a request a default, which a client would fill in and so undo what an update keeps', () => {
    const { properties = {} } = schemaOf('UpsertShippingMethodRequest');

    expect(Object.values(properties).filter((schema) => 'default' in schema)).toEqual([]);
  });

  it('describes several mounts, each with operationIds of its own', () => {
    const paths = ['a/:project_id', 'b/:project_id', 'c/:project_id'];

    const documented = paths.reduce((made, path) => documentShipping(made, { path }), shippingDocument());

    const ids = operationsOf(read(documented)).map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(24);
  });

  it('describes two mounts, with the path parameters and the page size of each', () => {
    const second = { path: '/shops/:shop/:project_id/', maxPageSize: 10 };

    const both = read(documentShipping(shippingDocument(), second));

    const list = both.paths['/shops/{shop}/{project_id}/shipments/methods']?.['get'] as Operation;
    expect(operationsOf(both)).toHaveLength(12);
    expect(new Set(operationsOf(both).map(([, { operationId }]) => operationId)).size).toBe(12);
    expect(list.parameters.map(({ name }) => name).slice(0, 2)).toEqual(['shop', 'project_id']);
    expect(parameter('per_page', list)).toMatchObject({ maximum: 10, default: 10 });
    expect(() => documentShipping(shippingDocument(), { path: 'orders' })).toThrow(
      'documentShipping() option "path" must be a string with the segment ":project_id".',
    );
  });

  it('gives its schemas alone to a host that mounts no routes', () => {
    const all = shippingDocument().components?.schemas ?? {};
    const older = JSON.stringify(shippingSchemas('3.0.0'));

    expect(shippingSchemas()).toEqual(all);
    // Every schema that is referred to is there, and OpenAPI 3.0 has another word for null.
    const references = [...older.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(all)).toEqual(expect.arrayContaining(references));
    expect(older).toContain('"nullable":true');
    expect(older).not.toMatch(/"type":\[/);
  });
});

describe('the running module', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
  const fresh = (): Client => new Client(app.origin, freshProject());
  const created = async (change: object): Promise<number> =>
    (await fresh().create({ ...ground, ...change })).status;
  const listed = async (query: string): Promise<number> => (await fresh().list(query)).status;
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
  /** Two UTF-16 units, one code point. */
  const letters = (length: number): string => '𝒰'.repeat(length);

  it('is described by our operations in place of those of SwaggerModule', () => {
    const scan = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());

    const documented: OpenAPIObject = documentShipping(scan);

    expect(Object.keys(documented.paths)).toEqual(Object.keys(scan.paths));
    expect(JSON.stringify(documented)).not.toContain('Controller_');
  });

  it('cannot be documented at a wrong path, and the error names the right one', () => {
    const scan = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());

    const documented = (): unknown =>
      documentShipping(scan, { path: 'api/v1/projects/:project_id/sales/orders' });

    expect(documented).toThrow(
      'the document has "/api/projects/{project_id}/sales/orders/shipments/methods"',
    );
  });

  it.each(['carrier_code', 'method_code', 'carrier_label', 'method_label'])(
    'limits %s as documented',
    async (name) => {
      const { minLength, maxLength } = field(name);

      const lengths = [minLength, minLength - 1, maxLength, maxLength + 1];
      const statuses = await Promise.all(lengths.map((length) => created({ [name]: letters(length) })));

      expect(statuses).toEqual([201, 400, 201, 400]);
    },
  );

  it('accepts only codes of the documented form', async () => {
    const codes = ['03', 'bpack 24/7', 'DPD8:30', 'GS더프레시', ' ups', 'a\tb', 'ups!', '-1', '(a)'];

    const statuses = await Promise.all(codes.map((code) => created({ method_code: code })));

    const pattern = new RegExp(field('method_code').pattern, 'u');
    expect(statuses).toEqual(codes.map((code) => (pattern.test(code) ? 201 : 400)));
    expect(new Set(statuses).size).toBe(2);
  });

  it('limits sort_order and meta as documented', async () => {
    const { minimum, maximum } = field('sort_order');
    const bytes = numberIn(field('meta').description, /(\d+) bytes/) - '{"a":""}'.length;
    const levels = numberIn(field('meta').description, /(\d+) levels/);

    const statuses = await Promise.all([
      ...[minimum, minimum - 1, maximum, maximum + 1].map((sort_order) => created({ sort_order })),
      ...[bytes, bytes + 1].map((length) => created({ meta: { a: 'x'.repeat(length) } })),
      ...[levels, levels + 1].map((depth) => created({ meta: nested(depth) })),
    ]);

    expect(statuses).toEqual([201, 400, 201, 400, 201, 400, 201, 400]);
  });

  it('requires the documented fields, accepts null for the others, and refuses unknown ones', async () => {
    const { properties = {}, required = [], additionalProperties } = schemaOf('UpsertShippingMethodRequest');

    for (const [name, { type }] of Object.entries(properties)) {
      const isOptional = [type].flat().includes('null');
      expect(isOptional).toBe(!required.includes(name));
      expect(await created({ [name]: null })).toBe(isOptional ? 201 : 400);
      expect(await created({ [name]: undefined })).toBe(isOptional ? 201 : 400);
    }
    expect(additionalProperties).toBe(false);
    expect(await created({ carier_code: 'ups' })).toBe(400);
  });

  it('limits the query of the list as documented', async () => {
    const [page, perPage, q, raw] = ['page', 'per_page', 'q', 'raw_filters'].map((name) => parameter(name));
    const bytes = numberIn(raw?.description ?? '', /(\d+) bytes/);
    const values = schemaOf('ShippingFilter').properties?.['version']?.anyOf?.[1]?.maxItems ?? 0;
    const rawValues = schemaOf('ShippingRawFilter').properties?.['value']?.anyOf?.[1]?.maxItems ?? 0;
    const ones = (length: number): string => Array.from({ length }, () => 1).join(',');
    const conditions = (length: number): string =>
      Array.from({ length }, () => '{"field":"version","op":"eq","value":1}').join(',');
    const padded = (length: number): string => '[]'.padEnd(length);
    const bounded: [name: string, number, (value: number) => string][] = [
      ['page', page?.maximum ?? 0, (value) => `per_page=1&page=${value}`],
      ['per_page', perPage?.maximum ?? 0, (value) => `per_page=${value}`],
      ['q', q?.maxLength ?? 0, (length) => `q=${letters(length)}`],
      ['values of filter', values, (length) => `filter={"version":[${ones(length)}]}`],
      [
        'values of raw_filters',
        rawValues,
        (length) => `raw_filters=[{"field":"version","op":"in","value":[${ones(length)}]}]`,
      ],
      [
        'raw_filters',
        schemaOf('ShippingRawFilters').maxItems ?? 0,
        (length) => `raw_filters=[${conditions(length)}]`,
      ],
      [
        'or of raw_filters',
        schemaOf('ShippingRawFilterGroup').properties?.['or']?.maxItems ?? 0,
        (length) => `raw_filters=[{"or":[${conditions(length)}]}]`,
      ],
      ['bytes', bytes, (length) => `raw_filters=${padded(length).replaceAll(' ', '%20')}`],
    ];

    for (const [name, bound, query] of bounded) {
      const statuses = [await listed(query(bound)), await listed(query(bound + 1))];
      expect([name, ...statuses]).toEqual([name, 200, 400]);
    }
    for (const { minimum } of [page, perPage] as Required<Schema>[]) {
      expect([await listed(`page=${minimum}`), await listed(`page=${minimum - 1}`)]).toEqual([200, 400]);
    }
  });

  it('accepts only project and order ids of the documented form', async () => {
    const ids = ['a', 'a.b:c-d_E9', 'a'.repeat(64), 'a'.repeat(65), '-a', 'a!b', 'é'];

    const asProject = await Promise.all(
      ids.map(async (id) => (await new Client(app.origin, id).tree()).status),
    );
    const asOrder = await Promise.all(ids.map(async (id) => (await fresh().events(id)).status));

    for (const [name, statuses] of [['project_id', asProject] as const, ['order_id', asOrder] as const]) {
      const pattern = new RegExp(parameter(name, operation('get', `${base}/{order_id}/events`)).pattern);
      expect(statuses).toEqual(ids.map((id) => (pattern.test(id) ? 200 : 400)));
    }
  });

  it('limits the fields of an event as documented', async () => {
    const { properties = {} } = schemaOf('OrderEvent');
    const actor = properties['actor']?.properties ?? {};
    const most = (schema?: Schema): number => schema?.maxLength ?? 0;
    const recorded = (event: object): Promise<boolean> =>
      app.nest
        .get(OrderEvents)
        .record({ projectId: 'p', orderId: '1', type: 'order.placed', ...event })
        .then(
          () => true,
          () => false,
        );
    const bounded: [number, (length: number) => object][] = [
      [most(properties['type']), (length) => ({ type: 'a.'.padEnd(length, 'b') })],
      [most(properties['message']), (length) => ({ message: letters(length) })],
      [most(actor['id']), (length) => ({ actor: { type: 'user', id: letters(length) } })],
      [most(actor['label']), (length) => ({ actor: { type: 'user', label: letters(length) } })],
    ];

    for (const [bound, event] of bounded) {
      expect([await recorded(event(bound)), await recorded(event(bound + 1))]).toEqual([true, false]);
    }
  });

  it('answers with exactly the documented status, headers and fields', async () => {
    const shop = fresh();
    const defaults = new Client(app.origin, 'default');
    await defaults.create({ ...ground, carrier_label: 'UPS', meta: { from: 'default' } });
    const first = await shop.create({ ...ground, use_default: true });
    const other = await shop.create({ ...ground, method_code: '01' });
    const orderId = '1000042';
    const actor = { type: 'user', id: '7' } as const;
    const event = { projectId: shop.project, orderId, type: 'shipment.dispatched', actor };
    await app.nest.get(OrderEvents).record(event);
    await app.nest.get(OrderEvents).record({ ...event, type: 'host.own_kind', actor: null });
    const list = await shop.list();
    const one = `${methods}/{method_id}`;
    const id = first.body.id;

    const answers: [Operation, Answer<unknown>][] = [
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

    const statuses = answers.map(([, { status }]) => status);
    expect(statuses).toEqual([
      201, 200, 304, 200, 200, 400, 400, 409, 415, 413, 400, 200, 409, 404, 412, 400, 204,
    ]);
    expect(first.body.inherited).not.toEqual(other.body.inherited);
    for (const [{ operationId, responses }, { status, headers, body }] of answers) {
      const documented = responses[status];
      const [type] = Object.keys(documented?.content ?? {});
      const schema = documented?.content?.[type ?? '']?.schema;
      expect(headers.get('content-type')?.split(';')[0]).toBe(type);
      for (const name of Object.keys(documented?.headers ?? {})) expect(headers.get(name)).toBeTruthy();
      expect([operationId, status, ...(schema ? misfits(schema, body) : [])]).toEqual([operationId, status]);
    }
  });
});
