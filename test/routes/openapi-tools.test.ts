import fc from 'fast-check';
import { addShippingToDocument, createShippingDocument } from 'nestjs-shipping/openapi';
import { describe, expect, it } from 'vitest';

interface Part {
  [key: string]: Part | string | undefined;
}

interface Parameter {
  name: string;
  schema: { type: string };
  example?: string;
}

interface Document {
  paths: Record<string, { get: { parameters: Parameter[] } }>;
}

const methods = '/api/projects/{project_id}/sales/orders/shipments/methods';
const host = { openapi: '3.0.0', info: { title: 'Shop', version: '7' }, paths: {} };

function patternsOf(part: Part): string[] {
  return Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'string' ? (key === 'pattern' ? [value] : []) : patternsOf(value ?? {}),
  );
}

function listParameters(document: object): Map<string, Parameter> {
  const { paths } = JSON.parse(JSON.stringify(document)) as Document;
  return new Map(paths[methods]?.get.parameters.map((parameter) => [parameter.name, parameter]));
}

describe('the OpenAPI document, as tools read it', () => {
  it('names its licence, and asks for no authentication', () => {
    const document = createShippingDocument({ version: '1.2.3' });

    expect(document).toMatchObject({
      info: {
        version: '1.2.3',
        description: expect.stringContaining('guards'),
        license: { identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      security: [],
    });
  });

  it('declares each tag once, and keeps the tags, info, servers and security of the host', () => {
    const ofTheHost = {
      ...host,
      tags: [{ name: 'Order events', description: 'Ours' }, { name: 'Carts' }],
      servers: [{ url: 'https://shop.example' }],
      security: [{ bearer: [] }],
    };

    const twice = addShippingToDocument(addShippingToDocument(ofTheHost), { path: 'shops/:project_id' });

    const { info, servers, security } = ofTheHost;
    expect(twice).toMatchObject({ info, servers, security });
    expect(twice.tags).toEqual([
      ...ofTheHost.tags,
      { name: 'Shipping methods', description: expect.stringMatching(/\w/) },
    ]);
    expect(addShippingToDocument(host)).not.toHaveProperty('security');
  });

  it('has patterns that match the same texts with and without the flag u', () => {
    const patterns = [...new Set(patternsOf(JSON.parse(JSON.stringify(createShippingDocument())) as Part))];
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'aZ09_ -.:/@+()!"\'*,;<>?[]\\^`{|}~\t\0é더😀𝒰\u0301') }),
      fc.string({ unit: 'binary' }),
    );

    expect(patterns.length).toBeGreaterThan(2);
    for (const pattern of patterns) {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')];
      fc.assert(
        fc.property(text, (value) => plain.test(value) === unicode.test(value)),
        { seed: 7 },
      );
    }
  });

  it.each([
    ['3.0.0', 'x-content-schema'],
    ['3.1.0', 'contentSchema'],
  ])('describes filter and raw_filters as JSON of a named schema, in OpenAPI %s', (openapi, keyword) => {
    const documented = addShippingToDocument({ ...host, openapi });

    const parameters = listParameters(documented);
    for (const [name, schema] of [
      ['filter', 'ShippingFilter'] as const,
      ['raw_filters', 'ShippingRawFilters'] as const,
    ]) {
      const { schema: text, example = '' } = parameters.get(name) as Parameter;
      expect(text).toMatchObject({
        type: 'string',
        [keyword]: { $ref: `#/components/schemas/${schema}` },
      });
      expect(JSON.parse(example)).toBeTypeOf('object');
      expect(documented).toHaveProperty(['components', 'schemas', schema, 'description']);
    }
  });
});
