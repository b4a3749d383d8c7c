import {
  ApiBearerAuth,
  ApiExtension,
  ApiOperation,
  ApiTags,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger';
import { documentShipping, shippingDocument, shippingSchemas } from 'nestjs-shipping/openapi';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { type Answer, Client } from '../support/client.js';

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
const parameter = (name: string, from = operation('get', methods)): Required<Schema> => {
  const found = from.parameters.find((candidate) => candidate.name === name);
  const description = found?.description;
  return {
    description,
    ...found?.schema,
  } as Required<Schema>;
};

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

  it("keeps the host's own paths, schemas, security, parameters and responses, and does not change the given document", () => {
    const carts = { get: { operationId: 'carts', responses: { 200: { description: 'Carts' } } } };
    const scanned = {
      operationId: 'ShippingMethodsController_create',
      security: [{ bearer: [] }],
      parameters: [
        { name: 'x-lang', in: 'header' },
        { name: 'project_id', in: 'path' },
      ],
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
    const parameters = read(documented).paths[methods]?.['post']?.parameters.map(({ name }) => name);
    expect(parameters).toEqual(['project_id', 'x-lang']);
    expect(documentShipping(documented)).toEqual(documented);
  });

  it("has our schema where one of the host's has the same name", () => {
    const info = { title: 'Shop', version: '1' };
    const schemas = { ShippingMethod: { type: 'string' }, Cart: { type: 'object' } };

    const documented = documentShipping({ openapi: '3.1.0', info, paths: {}, components: { schemas } });

    expect(read(documented).components.schemas['ShippingMethod']).toEqual(schemaOf('ShippingMethod'));
    expect(documented.components.schemas.Cart).toEqual(schemas.Cart);
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

  it('describes two mounts, with the path parameters and the page size of each', () => {
    const second = { path: '/shops/:shop/:project_id/', maxPageSize: 10 };

    const both = read(documentShipping(shippingDocument(), second));

    const list = both.paths['/shops/{shop}/{project_id}/shipments/methods']?.['get'] as Operation;
    expect(operationsOf(both)).toHaveLength(12);
    expect(new Set(operationsOf(both).map(([, { operationId }]) => operationId)).size).toBe(12);
    expect(list.parameters.map(({ name }) => name).slice(0, 2)).toEqual(['shop', 'project_id']);
    expect(parameter('per_page', list)).toMatchObject({ maximum: 10, default: 10 });
    expect(() => documentShipping(shippingDocument(), { path: 'orders' })).toThrow(
      'documentShipping() option "path" must be a path with a parameter for the project',
    );
  });

  it('names the project by the only parameter of the path', () => {
    const path = 'organizations/:organizationId/shipping';

    const { paths } = read(shippingDocument({ path }));

    const list = paths['/organizations/{organizationId}/shipping/shipments/methods']?.['get'];
    expect((list as Operation).parameters[0]).toMatchObject({
      name: 'organizationId',
      description: 'The tenant.',
    });
    expect(JSON.stringify(list)).toContain('organizationId must be at most 64 characters');
    expect(JSON.stringify(list)).not.toContain('project_id must be');
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
    // The host may change what it gets.
    for (const schema of Object.values(shippingSchemas()))
      Object.assign((schema as Schema).properties ?? {}, { mine: {} });
    expect(JSON.stringify(shippingSchemas())).not.toContain('"mine"');
  });
});

describe('a document of a host that has decorated the routes', () => {
  const host = mounted({
    shipping: {
      http: {
        decorators: [ApiBearerAuth(), ApiTags('Shop'), ApiExtension('x-owner', 'logistics')],
        routeDecorators: {
          list: [ApiBearerAuth(), ApiOperation({ summary: 'Ours', operationId: 'offers', deprecated: true })],
        },
      },
    },
  });

  it('keeps its tags, extensions, operations and security, each scheme once', () => {
    const scan = SwaggerModule.createDocument(host.app.nest, new DocumentBuilder().build());

    const documented = read(documentShipping(scan));

    const operations = operationsOf(documented).map(([, described]) => described);
    expect(operations).toHaveLength(6);
    for (const described of operations)
      expect(described).toMatchObject({ tags: ['Shop'], 'x-owner': 'logistics', security: [{ bearer: [] }] });
    expect(documented.paths[methods]?.['get']).toMatchObject({
      summary: 'Ours',
      operationId: 'offers',
      deprecated: true,
      description: expect.stringContaining('One page of the methods'),
    });
    expect(documented.paths[methods]?.['post']).toMatchObject({
      summary: 'Create a shipping method',
      operationId: 'createShippingMethod',
    });
  });

  it('has a different operationId for each route before it is completed', () => {
    const { paths } = SwaggerModule.createDocument(host.app.nest, new DocumentBuilder().build());

    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item as Record<string, { operationId?: string }>).map(({ operationId }) => operationId),
    );
    expect(ids.toSorted()).toEqual([
      'OrderEventsController_events',
      'ShippingMethodsController_create',
      'ShippingMethodsController_remove',
      'ShippingMethodsController_tree',
      'ShippingMethodsController_update',
      'offers',
    ]);
  });
});

describe('the running module', () => {
  const host = mounted();

  const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
  const fresh = (): Client => host.shop();
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  it('cannot be documented at a wrong path, and the error names the right one', () => {
    const scan = SwaggerModule.createDocument(host.app.nest, new DocumentBuilder().build());

    const documented = (): unknown =>
      documentShipping(scan, { path: 'api/v1/projects/:project_id/sales/orders' });

    expect(documented).toThrow(
      'the document has "/api/projects/{project_id}/sales/orders/shipments/methods". Pass the path that the document has: ' +
        "documentShipping(document, { path: 'api/projects/:project_id/sales/orders' }).",
    );
  });

  it('answers with exactly the documented status, headers and fields', async () => {
    const shop = fresh();
    const defaults = new Client(host.app.origin, 'default');
    await defaults.create({ ...ground, carrier_label: 'UPS', meta: { from: 'default' } });
    const first = await shop.create({ ...ground, use_default: true });
    const other = await shop.create({ ...ground, method_code: '01' });
    const orderId = '1000042';
    const actor = { type: 'user', id: '7' } as const;
    const event = { projectId: shop.project, orderId, type: 'shipment.dispatched', actor };
    await host.events.record(event);
    await host.events.record({ ...event, type: 'host.own_kind', actor: null });
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
