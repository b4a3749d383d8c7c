import { createShippingDocument } from 'nestjs-shipping/openapi';

export interface Schema {
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

export interface Parameter {
  name: string;
  in: string;
  description: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  parameters: Parameter[];
  responses: Record<string, { headers?: object; content?: Record<string, { schema: Schema }> }>;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The document as its readers get it. */
export const read = (document: object): Document => JSON.parse(JSON.stringify(document)) as Document;
export const document = read(createShippingDocument());
export const base = '/api/projects/{project_id}/sales/orders';
export const methods = `${base}/shipments/methods`;
export const operation = (method: string, path: string): Operation =>
  document.paths[path]?.[method] as Operation;
export const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, found]): [string, Operation] => [`${method} ${path}`, found]),
  );
export const schemaOf = (name: string): Schema => document.components.schemas[name] as Schema;
export const parameter = (name: string, from = operation('get', methods)): Required<Schema> => {
  const found = from.parameters.find((candidate) => candidate.name === name);
  const description = found?.description;
  return {
    description,
    ...found?.schema,
  } as Required<Schema>;
};
