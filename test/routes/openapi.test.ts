import { addShippingToDocument, createShippingDocument } from 'nestjs-shipping/openapi';
import { describe, expect, it } from 'vitest';
import { base, document, methods, type Operation, operationsOf, read, schemaOf } from '../support/openapi.js';

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

    const older = read(addShippingToDocument({ openapi: '3.0.0', info, paths: {} }));

    const label = older.components.schemas['ShippingMethod']?.properties?.['carrier_label'];
    expect(label).toMatchObject({ type: 'string', nullable: true });
    expect(schemaOf('ShippingMethod').properties?.['carrier_label']?.type).toEqual(['string', 'null']);
    const request = older.components.schemas['UpsertShippingMethodRequest'];
    expect(request?.properties?.['use_default']?.anyOf).toMatchObject([
      { type: 'boolean', nullable: true },
      {
        type: 'array',
        items: { enum: ['carrier_label', 'method_label', 'sort_order', 'meta', 'is_active'] },
      },
    ]);
    expect(JSON.stringify(older)).not.toMatch(/"type":\[/);
  });

  it('lists the headers of each response and of each request', () => {
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
      [`get ${base}/{order_id}/events`, [], ['200 Cache-Control', '503 Retry-After']],
    ]);
  });

  it('gives the fields of a request no default', () => {
    const { properties = {} } = schemaOf('UpsertShippingMethodRequest');

    expect(Object.values(properties).filter((schema) => 'default' in schema)).toEqual([]);
  });

  it('names the project by the only parameter of the path', () => {
    const path = 'organizations/:organizationId/shipping';

    const { paths } = read(createShippingDocument({ path }));

    const list = paths['/organizations/{organizationId}/shipping/shipments/methods']?.['get'];
    expect((list as Operation).parameters[0]).toMatchObject({
      name: 'organizationId',
      description: 'The project, which is a tenant or a shop.',
    });
    expect(JSON.stringify(list)).toContain('organizationId must have at most 64 characters');
    expect(JSON.stringify(list)).not.toContain('project_id must have');
  });
});
