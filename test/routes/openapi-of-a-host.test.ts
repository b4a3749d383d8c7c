import {
  ApiBearerAuth,
  ApiExtension,
  ApiOperation,
  ApiTags,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger';
import { addShippingToDocument, createShippingDocument, shippingSchemas } from 'nestjs-shipping/openapi';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import {
  methods,
  type Operation,
  operationsOf,
  parameter,
  read,
  type Schema,
  schemaOf,
} from '../support/openapi.js';

describe('the OpenAPI document of a host', () => {
  it('keeps what the host has documented, and does not change the given document', () => {
    const carts = { get: { operationId: 'carts', responses: { 200: { description: 'Carts' } } } };
    const scanned = {
      operationId: 'ShippingMethodsController_create',
      summary: '',
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

    const documented = addShippingToDocument(host);

    expect(host).toEqual(before);
    expect(documented).toMatchObject({
      tags: expect.arrayContaining(host.tags),
      paths: { '/carts': carts, [methods]: { put: carts.get } },
      components: host.components,
    });
    expect(documented.paths[methods]?.post).toMatchObject({
      operationId: 'createShippingMethod',
      summary: 'Create a shipping method',
      security: [{ bearer: [] }],
      responses: { 201: { content: {} }, 401: { description: 'No token' } },
    });
    const parameters = read(documented).paths[methods]?.['post']?.parameters.map(({ name }) => name);
    expect(parameters).toEqual(['project_id', 'x-lang']);
    expect(addShippingToDocument(documented)).toEqual(documented);
  });

  it('keeps a header of the host that has the name of one of our parameters', () => {
    const header = { name: 'page', in: 'header' };
    const info = { title: 'Shop', version: '1' };
    const paths = { [methods]: { get: { parameters: [header] } } };

    const documented = addShippingToDocument({ openapi: '3.1.0', info, paths });

    const parameters = documented.paths[methods]?.get.parameters.filter(({ name }) => name === 'page');
    expect(parameters).toMatchObject([{ in: 'query' }, header]);
  });

  it('has our schema in place of one of the host with the same name', () => {
    const info = { title: 'Shop', version: '1' };
    const schemas = { ShippingMethod: { type: 'string' }, Cart: { type: 'object' } };

    const documented = addShippingToDocument({ openapi: '3.1.0', info, paths: {}, components: { schemas } });

    expect(read(documented).components.schemas['ShippingMethod']).toEqual(schemaOf('ShippingMethod'));
    expect(documented.components.schemas.Cart).toEqual(schemas.Cart);
  });

  it('describes two mounts, with the path parameters and the page size of each', () => {
    const second = { path: '/shops/:shop/:project_id/', maxPageSize: 10 };

    const both = read(addShippingToDocument(createShippingDocument(), second));

    const list = both.paths['/shops/{shop}/{project_id}/shipments/methods']?.['get'] as Operation;
    expect(operationsOf(both)).toHaveLength(12);
    expect(new Set(operationsOf(both).map(([, { operationId }]) => operationId)).size).toBe(12);
    expect(list.parameters.map(({ name }) => name).slice(0, 2)).toEqual(['shop', 'project_id']);
    expect(parameter('per_page', list)).toMatchObject({ maximum: 10, default: 10 });
    expect(() => addShippingToDocument(createShippingDocument(), { path: 'orders' })).toThrow(
      'addShippingToDocument() option "path" must be a path with a parameter for the project',
    );
    expect(() => createShippingDocument({ path: 'orders' })).toThrow(
      'createShippingDocument() option "path" must be a path with a parameter for the project',
    );
  });

  it.each([
    ['that no mount has', 'v2/projekts/:project_id'],
    ['of the mount that is completed already', 'v1/projects/:project_id'],
  ])('is refused for a second mount with a path %s', (_which, path) => {
    const scanned = { operationId: 'methodName', responses: { 200: { description: '' } } };
    const scanOf = (base: string): Record<string, object> => ({
      [`/${base}/shipments/methods`]: { get: scanned, post: scanned },
      [`/${base}/shipments/methods/tree`]: { get: scanned },
    });
    const info = { title: 'Shop', version: '1' };
    const paths = { ...scanOf('v1/projects/{project_id}'), ...scanOf('v2/projects/{project_id}') };
    const first = addShippingToDocument(
      { openapi: '3.1.0', info, paths },
      { path: 'v1/projects/:project_id' },
    );

    expect(() => addShippingToDocument(first, { path })).toThrow(
      "Pass the path that the document has: addShippingToDocument(document, { path: 'v2/projects/:project_id' }).",
    );
    const both = read(addShippingToDocument(first, { path: 'v2/projects/:project_id' }));
    expect(operationsOf(both)).toHaveLength(12);
  });

  it.each([
    [
      { basePath: 'v1' },
      'option "basePath" is unknown here. The options are path, maxPageSize, problemDetails.',
    ],
    [{ maxPageSize: 101 }, 'option "maxPageSize" is 101, but maxPageSize must not be greater than 100.'],
    [
      { problemDetails: 'no' },
      'option "problemDetails" is \'no\', but problemDetails must be a boolean value.',
    ],
  ])('is refused with the options %j', (options, error) => {
    const wrong = options as object;

    expect(() => addShippingToDocument(createShippingDocument(), wrong)).toThrow(
      `addShippingToDocument() ${error}`,
    );
    expect(() => createShippingDocument(wrong)).toThrow(
      `createShippingDocument() ${error.replace('problemDetails.', 'problemDetails, title, version.')}`,
    );
  });

  it('can be made from our schemas alone, without our routes', () => {
    const all = createShippingDocument().components?.schemas ?? {};
    const older = JSON.stringify(shippingSchemas('3.0.0'));

    expect(shippingSchemas()).toEqual({ ...all, OrderEventPage: expect.any(Object) });
    // Each reference has its schema, and OpenAPI 3.0 has another word for null.
    const references = [...older.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(all)).toEqual(expect.arrayContaining(references));
    expect(older).toContain('"nullable":true');
    expect(older).not.toMatch(/"type":\[/);
    // The host may change the schemas that it gets.
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

    const documented = read(addShippingToDocument(scan));

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

  it('is refused with another path, and the error names the right one', () => {
    const scan = SwaggerModule.createDocument(host.app.nest, new DocumentBuilder().build());

    const documented = (): unknown =>
      addShippingToDocument(scan, { path: 'api/v1/projects/:project_id/sales/orders' });

    expect(documented).toThrow(
      'the document has the routes at "/api/projects/{project_id}/sales/orders/shipments/methods". Pass the path that the document has: ' +
        "addShippingToDocument(document, { path: 'api/projects/:project_id/sales/orders' }).",
    );
  });
});
