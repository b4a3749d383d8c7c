import { Allow, IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { defaultPath, projectParameterOf, withoutOuterSlashes } from '../http/path.js';
import { withDefaults, type OptionsOf } from '../options/check-options.js';
import { eventSchemas } from './event.schemas.js';
import { methodSchemas } from './method.schemas.js';
import { type Operation, shippingPaths, tags } from './operations.js';
import { filterSchemas } from './parameters.js';
import { problemSchemas } from './problem.schemas.js';
import { inVersion } from './schema.js';
import { ownVersion } from './version.js';

/** The parts of an OpenAPI 3.0 or 3.1 document that we read. The `OpenAPIObject` of `@nestjs/swagger` has them. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, object>;
  components?: { schemas?: Record<string, object> };
}

class DocumentSettings {
  /**
   * The path of the routes in the document. It includes the segment of a URI version, and your global prefix, unless you
   * made the document with `ignoreGlobalPrefix`.
   * @default 'api/projects/:project_id/sales/orders'
   */
  @Allow() path = defaultPath;

  /**
   * The option `maxPageSize` of the module.
   * @default 100
   */
  @IsInt() @Min(1) @Max(100) maxPageSize = 100;

  /**
   * The option `http.problemDetails` of the module. `false`: the document has only the errors that your decorators
   * describe, because your filters send ours.
   * @default true
   */
  @IsBoolean() problemDetails = true;
}

class OwnDocumentSettings extends DocumentSettings {
  /**
   * The title of the document.
   * @default 'Shipping methods and order histories'
   */
  @IsString() title = 'Shipping methods and order histories';

  /**
   * The version of the API that the document names.
   * @default the version of nestjs-shipping
   */
  @IsString() version = ownVersion;
}

/** Options of `addShippingToDocument()`. Pass the same `maxPageSize` and `problemDetails` as to the module. */
export type ShippingDocumentOptions = OptionsOf<DocumentSettings>;

/**
 * The schemas of methods, histories and problems, for the document of a host whose own controllers use the services
 * (`http: false`). Put them into its `components.schemas`, and refer to `#/components/schemas/ShippingMethod`.
 * @param openapi the version of the document, which decides how a schema says null
 * @returns new objects
 * @example
 * document.components = { schemas: { ...document.components?.schemas, ...shippingSchemas(document.openapi) } };
 */
export function shippingSchemas(openapi = '3.1.0'): Record<string, object> {
  return inVersion(openapi, { ...methodSchemas, ...filterSchemas, ...eventSchemas, ...problemSchemas });
}

/**
 * Completes a document with the six routes and their schemas. A scan by `@nestjs/swagger` finds the paths, but neither
 * bodies nor queries, because the routes read the request themselves. What your decorators say about a route stays, for
 * instance `ApiTags`, `ApiOperation`, `ApiExtension` and `ApiBearerAuth`, and so do parameters and responses that are
 * not ours. A schema of yours with the name of one of ours is replaced. Call the function again for a second mount.
 * @returns a new document; the given one is not changed
 * @throws Error when an option is unknown or has a wrong value, when no parameter of `path` is the project, or when the
 *   document has the routes at another path
 * @example
 * const document = addShippingToDocument(SwaggerModule.createDocument(app, config));
 */
export function addShippingToDocument<Document extends OpenApiDocument>(
  document: Document,
  options: ShippingDocumentOptions = {},
): Document {
  const { path, maxPageSize, problemDetails } = withDefaults(new DocumentSettings(), options, {
    name: 'addShippingToDocument()',
  });
  const project = projectParameterOf(path, 'addShippingToDocument() option "path"');
  const base = `/${withoutOuterSlashes(path).replace(/:(\w+)/g, '{$1}')}`;
  // Our parts are copied, so the host may change its document.
  const ours = inVersion(document.openapi, { tags, paths: shippingPaths(base, project, maxPageSize) });
  refuseOtherPath(document.paths, base);
  const takenIds = idsOfOthers(document.paths, ours.paths);
  const paths = { ...document.paths };
  for (const [route, operations] of Object.entries(ours.paths)) {
    const item: Record<string, Partial<Operation>> = { ...paths[route] };
    for (const [method, operation] of Object.entries(operations))
      item[method] = completed(adapted(operation, takenIds, problemDetails), item[method]);
    paths[route] = item;
  }
  const { tags: declared = [], components } = document;
  const missing = ours.tags.filter(({ name }) => !declared.some((tag) => tag.name === name));
  const { OrderEventPage, ...ourSchemas } = shippingSchemas(document.openapi);
  // None of our routes has a page of events, and linters report a schema to which nothing refers.
  const page = JSON.stringify(document).includes('/OrderEventPage"') && { OrderEventPage };
  const schemas = { ...components?.schemas, ...ourSchemas, ...page };
  return { ...document, tags: [...declared, ...missing], paths, components: { ...components, schemas } };
}

/**
 * A scan finds the routes of each mount, but not their schemas. So the list of a mount that is not completed yet has no
 * page of ours.
 * @throws Error that names the right path, when there is such a mount at another path only
 */
function refuseOtherPath(paths: OpenApiDocument['paths'], base: string): void {
  const scanned = Object.keys(paths).filter(
    (route) =>
      route.endsWith('/shipments/methods') && !JSON.stringify(paths[route]).includes('/ShippingMethodPage"'),
  );
  const other = scanned.find((route) => `${route}/tree` in paths);
  if (other === undefined || scanned.includes(`${base}/shipments/methods`)) return;
  const path = other
    .slice(1)
    .replace('/shipments/methods', '')
    .replace(/\{(\w+)\}/g, ':$1');
  throw new Error(
    `addShippingToDocument() got the path "${base}", but the document has the routes at "${other}". Pass the path that the ` +
      `document has: addShippingToDocument(document, { path: '${path}' }).`,
  );
}

/** Returns the ids of the operations of all routes that are not ours. */
function idsOfOthers(paths: OpenApiDocument['paths'], ourPaths: object): Set<string | undefined> {
  const items = Object.entries(paths as Record<string, Record<string, Partial<Operation>>>);
  const others = items.flatMap(([route, item]) => (route in ourPaths ? [] : Object.values(item)));
  return new Set(others.map(({ operationId }) => operationId));
}

/** Gives our operation an id that is free. Without `problemDetails`, it has none of our errors. */
function adapted(ours: Operation, takenIds: Set<string | undefined>, problemDetails: boolean): Operation {
  let { operationId } = ours;
  for (let suffix = 2; takenIds.has(operationId); suffix++) operationId = `${ours.operationId}${suffix}`;
  const responses = Object.entries(ours.responses).filter(([code]) => problemDetails || Number(code) < 400);
  return { ...ours, operationId, responses: Object.fromEntries(responses) };
}

/** Without decorators, the id and the tag of a scanned operation have the name of our class, which may have a number. */
const scannedName = /^(ShippingMethods|OrderEvents)\d*(Controller_\w+)?$/;

/** Adds what the host's decorators say about an operation. A scan without decorators has an empty summary. */
function completed(ours: Operation, scanned: Partial<Operation> = {}): Operation {
  const { operationId = '', tags: scannedTags = [], security, parameters = [] } = scanned;
  const hostTags = scannedTags.filter((tag) => !scannedName.test(tag));
  const ourKeys = new Set(ours.parameters.map(keyOf));
  const schemes = security?.map((scheme) => [JSON.stringify(scheme), scheme] as const);
  return {
    ...scanned,
    ...ours,
    operationId: operationId === '' || scannedName.test(operationId) ? ours.operationId : operationId,
    summary: scanned.summary || ours.summary,
    description: scanned.description || ours.description,
    tags: hostTags.length > 0 ? hostTags : ours.tags,
    // A mount and a route may name the same scheme, so each is listed once.
    ...(schemes && { security: [...new Map(schemes).values()] }),
    parameters: [...ours.parameters, ...parameters.filter((each) => !ourKeys.has(keyOf(each)))],
    responses: { ...scanned.responses, ...ours.responses },
  };
}

/** Returns a key that no two parameters of an operation share. */
function keyOf(parameter: Operation['parameters'][number]): string {
  return parameter.$ref ?? `${parameter.in} ${parameter.name}`;
}

/**
 * Returns an OpenAPI 3.1 document of the six routes. It asks for no authentication, because the guards are yours.
 * @throws Error when an option is unknown or has a wrong value, or when no parameter of `path` is the project
 * @example
 * const document = createShippingDocument({ title: 'Shipping of my shop', maxPageSize: 50 });
 */
export function createShippingDocument(options: OptionsOf<OwnDocumentSettings> = {}): OpenApiDocument {
  const { title, version, ...mount } = withDefaults(new OwnDocumentSettings(), options, {
    name: 'createShippingDocument()',
  });
  projectParameterOf(mount.path, 'createShippingDocument() option "path"');
  const description =
    'The six routes of nestjs-shipping. The guards of the application decide who may call them, so this document names no authentication. The document of the application names it.';
  const info = { title, version, description, license: { name: 'MIT', identifier: 'MIT' } };
  const host = { url: '/', description: 'The application.' };
  return addShippingToDocument({ openapi: '3.1.0', info, servers: [host], security: [], paths: {} }, mount);
}
