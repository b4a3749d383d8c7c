import { shippingDocument } from 'nestjs-shipping/openapi';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  uniqueItems?: boolean;
  /** The schema of JSON that is held in a string. */
  contentSchema?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

export interface Operation {
  method: string;
  /** With parameters in braces. */
  path: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, object>; content?: Record<string, { schema: Schema }> }
  >;
}

interface Document {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components: { schemas: Record<string, Schema> };
}

/** The document as its readers get it. */
const document = JSON.parse(JSON.stringify(shippingDocument())) as Document;

export const { components } = document;

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

/**
 * The documented operation of a request line, or undefined. Express ignores the case of the path, and a slash at
 * its end.
 */
export function operationOf(method: string, target: string): Operation | undefined {
  const [path = ''] = target.split('?');
  const fits = (template: string): boolean =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i').test(path);
  const found = operations.filter((operation) => operation.method === method && fits(operation.path));
  // "tree" is a route, not a method id.
  return found.find((operation) => !operation.path.endsWith('}')) ?? found[0];
}

export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (components.schemas[name] ?? {});
}

/** The JSON schema of a body. */
export function jsonOf(content: Record<string, { schema: Schema }> | undefined): Schema | undefined {
  return content?.['application/json']?.schema;
}
