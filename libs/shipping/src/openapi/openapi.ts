import { ownVersion } from '../boot/installed.cjs';
import { defaultPath, projectParameterOf, settingsOf, withoutOuterSlashes } from '../shipping.options.js';
import { eventSchemas } from './event.schemas.js';
import { methodSchemas } from './method.schemas.js';
import { shippingPaths, tags } from './operations.js';
import { filterSchemas } from './parameters.js';
import { problemSchemas } from './problem.schemas.js';
import { inVersion } from './schema.js';

/** The parts of an operation that we read. */
export interface OpenApiOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: object[];
  responses?: Record<string, object | undefined>;
}

export type OpenApiPathItem = {
  [Method in 'get' | 'put' | 'post' | 'patch' | 'delete' | 'head' | 'options' | 'trace']?: OpenApiOperation;
};

/** The parts of an OpenAPI 3.0 or 3.1 document that we read. The `OpenAPIObject` of `@nestjs/swagger` has them. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description?: string; license?: object; contact?: object };
  tags?: { name: string; description?: string }[];
  servers?: object[];
  security?: object[];
  paths: Record<string, OpenApiPathItem>;
  components?: { schemas?: Record<string, object> };
}

/**
 * Pass the same `maxPageSize` as to the module. `path` is the path of the routes in the document. It includes the segment
 * of a URI version, and your global prefix, unless you made the document with `ignoreGlobalPrefix`.
 */
export interface ShippingDocumentOptions {
  path?: string;
  maxPageSize?: number;
}

/**
 * The schemas of methods, histories and problems, for the document of a host whose own controllers use the services
 * (`http: false`). Put them into its `components.schemas`, and refer to `#/components/schemas/ShippingMethod`.
 * @param openapi the version of the document, which decides how a schema says null
 * @returns new objects
 */
export function shippingSchemas(openapi = '3.1.0'): Record<string, object> {
  return inVersion(openapi, { ...methodSchemas, ...filterSchemas, ...eventSchemas, ...problemSchemas });
}

/**
 * Completes a document with the six routes and their schemas. A scan by `@nestjs/swagger` finds the paths, but neither bodies
 * nor queries, because the routes read the request themselves. What your decorators say about a route stays, for instance
 * `ApiTags`, `ApiOperation`, `ApiExtension` and `ApiBearerAuth`, and so do parameters and responses that are not ours. A
 * schema of yours with the name of one of ours is replaced. Call the function again for a second mount.
 * @returns a new document; the given one is not changed
 * @throws Error when no parameter of `path` is the project, or the document has the routes at another path
 */
export function documentShipping<Document extends OpenApiDocument>(
  document: Document,
  options: ShippingDocumentOptions = {},
): Document {
  const project = projectParameterOf(options.path, 'documentShipping() option "path"');
  const { maxPageSize } = settingsOf({ maxPageSize: options.maxPageSize });
  const path = withoutOuterSlashes(options.path ?? defaultPath).replace(/:(\w+)/g, '{$1}');
  // Our parts are copied, so the host may change its document.
  const ours = inVersion(document.openapi, {
    tags,
    paths: shippingPaths(`/${path}`, project, maxPageSize),
  });
  const scans = Object.entries(document.paths).flatMap(([route, item]) =>
    Object.values(item).map((operation) => ({ route, id: operation?.operationId })),
  );
  const scanned = scans.find(({ id }) => id?.startsWith('ShippingMethodsController_'));
  if (scanned && !scans.some(({ route }) => route in ours.paths)) {
    const scannedPath = scanned.route
      .replace(/^\/|\/shipments\/methods.*$/g, '')
      .replace(/\{(\w+)\}/g, ':$1');
    throw new Error(
      `documentShipping() got the path "/${path}", but the document has the routes at "${scanned.route}". Pass ` +
        `the path that the document has: documentShipping(document, { path: '${scannedPath}' }).`,
    );
  }
  const takenIds = new Set(scans.filter(({ route }) => !(route in ours.paths)).map(({ id }) => id));
  const paths = { ...document.paths };
  for (const [route, operations] of Object.entries(ours.paths)) {
    const item: Record<string, OpenApiOperation | undefined> = { ...paths[route] };
    for (const [method, operation] of Object.entries(operations)) {
      const scannedOperation = item[method] ?? {};
      const { security, responses, parameters = [] } = scannedOperation;
      let { operationId } = operation;
      for (let suffix = 2; takenIds.has(operationId); suffix++)
        operationId = `${operation.operationId}${suffix}`;
      const ourKeys = new Set(operation.parameters.map(keyOf));
      item[method] = {
        ...scannedOperation,
        ...operation,
        operationId,
        ...hostFieldsOf(scannedOperation),
        ...(security && { security: withoutRepeats(security) }),
        parameters: [...operation.parameters, ...parameters.filter((each) => !ourKeys.has(keyOf(each)))],
        responses: { ...responses, ...operation.responses },
      };
    }
    paths[route] = item;
  }
  const { tags: declared = [], components } = document;
  const missing = ours.tags.filter(({ name }) => !declared.some((tag) => tag.name === name));
  const schemas = { ...components?.schemas, ...shippingSchemas(document.openapi) };
  return { ...document, tags: [...declared, ...missing], paths, components: { ...components, schemas } };
}

const scannedId = /^(ShippingMethods|OrderEvents)Controller_/;
const scannedTag = /^(ShippingMethods|OrderEvents)$/;

/**
 * Returns the fields of an operation that the host's decorators set. Without decorators, a scan has an empty summary, and
 * its id and tag have the name of our class.
 */
function hostFieldsOf({
  operationId = '',
  summary,
  description,
  tags: scannedTags = [],
}: OpenApiOperation): OpenApiOperation {
  const hostTags = scannedTags.filter((tag) => !scannedTag.test(tag));
  return {
    ...(operationId && !scannedId.test(operationId) && { operationId }),
    ...(summary && { summary }),
    ...(description && { description }),
    ...(hostTags.length > 0 && { tags: hostTags }),
  };
}

/** A mount and a route may name the same scheme, so each is listed once. */
function withoutRepeats(security: object[]): object[] {
  return [...new Map(security.map((scheme) => [JSON.stringify(scheme), scheme])).values()];
}

/** Returns a key that no two parameters of an operation share. */
function keyOf(parameter: { in?: string; name?: string; $ref?: string }): string {
  return parameter.$ref ?? `${parameter.in} ${parameter.name}`;
}

/** Returns an OpenAPI 3.1 document of the six routes. It asks for no authentication, because the guards are yours. */
export function shippingDocument(
  options: ShippingDocumentOptions & { title?: string; version?: string } = {},
): OpenApiDocument {
  const { title = 'Shipping methods and order histories', version = ownVersion(), ...mount } = options;
  const contact = { name: 'nestjs-shipping', url: 'https://www.npmjs.com/package/nestjs-shipping' };
  const description =
    'The six routes of nestjs-shipping. The guards of the host decide who may call them, so this document asks for no authentication. The document of the host does.';
  const info = { title, version, description, license: { name: 'MIT', identifier: 'MIT' }, contact };
  const host = { url: '/', description: 'The host.' };
  return documentShipping({ openapi: '3.1.0', info, servers: [host], security: [], paths: {} }, mount);
}
