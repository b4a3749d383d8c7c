import { BadRequestException, PayloadTooLargeException } from '@nestjs/common';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../database/database.errors.js';
import { InvalidJsonError, UnsupportedMediaTypeError } from '../http/request.js';
import { settableFields } from '../shipping-methods/method-fields.js';
import * as errors from '../shipping-methods/shipping-methods.errors.js';
import { InvalidParameterError, ValidationFailedError } from '../validation/violations.js';
import { exampleMethod } from './method.schemas.js';
import { ifMatch, ifNoneMatch, listQuery, methodId, mountParameters, orderId } from './parameters.js';
import { errorResponses } from './problem.schemas.js';
import * as s from './schema.js';

export const tags = [
  { name: 'Shipping methods', description: 'The shipping methods of a project.' },
  { name: 'Order events', description: 'The history of an order.' },
];

const header = (description: string): object => ({ description, schema: s.string });
const updated = { ETag: header('The `etag` of the method, for `If-Match`.') };
const created = { ...updated, Location: header('The path of the method.') };
const validated = {
  ETag: header('The value for `If-None-Match`. It is opaque.'),
  'Cache-Control': header(
    '`private, no-cache`: only a browser may keep the response, and it must ask with `If-None-Match` before it uses the response again.',
  ),
};

const content = (schema: string) => ({ 'application/json': { schema: s.ref(schema) } });
const success = (schema: string, headers?: object) => {
  return { description: 'Done.', headers, content: content(schema) };
};
/** The successful responses to a conditional read. */
const current = (schema: string) => {
  const description = 'Nothing has changed since the response with that ETag.';
  return { 200: success(schema, validated), 304: { description, headers: validated } };
};
const requestBody = { required: true, content: content('UpsertShippingMethodRequest') };

const { id, version } = exampleMethod;
const misspelledDetail = '/carier_code is not a known field.';
const bodyErrors = [
  new ValidationFailedError([
    { pointer: '/carier_code', code: 'unknown', detail: misspelledDetail, allowed: settableFields },
  ]),
  new InvalidJsonError(),
  new BadRequestException('The body cannot be read.'),
  new PayloadTooLargeException(),
  new UnsupportedMediaTypeError(),
];
const createErrors = [new errors.DuplicateMethodError(id, true), new errors.TooManyMethodsError(1000)];
const methodErrors = [
  new errors.MethodNotFoundError(),
  new errors.MethodInUseError(undefined),
  new errors.VersionMismatchError(version, id),
];
const updateErrors = [new errors.DuplicateMethodError(id), ...methodErrors];

interface Details {
  description: string;
  tags?: string[];
  security?: object[];
  parameters: { in?: string; name?: string; $ref?: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

function operation(operationId: string, summary: string, details: Details) {
  return { tags: ['Shipping methods'], operationId, summary, ...details };
}

export type Operation = ReturnType<typeof operation>;
type PathItem = Record<string, Operation>;

/**
 * The six routes of a mount, in OpenAPI 3.1.
 * @param base the path of the mount, with its parameters as `{name}`
 * @param project the name of the parameter that is the project
 */
export function shippingPaths(base: string, project: string, maxPageSize: number): Record<string, PathItem> {
  const inMount = mountParameters(base, project);
  const detail = `${project} must have at most 64 characters, not 65.`;
  const invalid = new InvalidParameterError([{ parameter: project, code: 'length', detail }]);
  const read = [invalid, new DatabaseUnavailableError(undefined)];
  const write = [...read, new OutcomeUnknownError(undefined)];
  return {
    [`${base}/shipments/methods`]: {
      post: operation('createShippingMethod', 'Create a shipping method', {
        description:
          'The pair of `carrier_code` and `method_code` is unique in a project. If a method has the pair already, the error names that method, and says whether it stores what was sent. If it does, a retry did no harm.',
        parameters: inMount,
        requestBody,
        responses: {
          201: success('ShippingMethod', created),
          ...errorResponses(...bodyErrors, ...write, ...createErrors),
        },
      }),
      get: operation('listShippingMethods', 'List shipping methods', {
        description:
          'One page of the methods that match, ordered by `sort_order`, `carrier_code` and `method_code`. If a method inherits a value, that value counts, not the stored one. A page past the end is empty, and its `total` is still right.',
        parameters: [...inMount, ...listQuery(maxPageSize), ifNoneMatch],
        responses: { ...current('ShippingMethodPage'), ...errorResponses(...read) },
      }),
    },
    [`${base}/shipments/methods/tree`]: {
      get: operation('getShippingMethodTree', 'All shipping methods by carrier', {
        description:
          'Inactive methods are included. Carriers are ordered by their smallest `sort_order`, then by code.',
        parameters: [...inMount, ifNoneMatch],
        responses: { ...current('ShippingMethodTree'), ...errorResponses(...read) },
      }),
    },
    [`${base}/shipments/methods/{method_id}`]: {
      patch: operation('updateShippingMethod', 'Update a shipping method', {
        description:
          'The required fields must be sent, too. If nothing changes, `version` and `updated_at` stay as they are.',
        parameters: [...inMount, methodId, ifMatch],
        requestBody,
        responses: {
          200: success('ShippingMethod', updated),
          ...errorResponses(...bodyErrors, ...write, ...updateErrors),
        },
      }),
      delete: operation('deleteShippingMethod', 'Delete a shipping method', {
        description: 'A method to which other records refer cannot be removed.',
        parameters: [...inMount, methodId, ifMatch],
        responses: {
          204: { description: 'The method is removed.' },
          ...errorResponses(...write, ...methodErrors),
        },
      }),
    },
    [`${base}/{order_id}/events`]: {
      get: operation('listOrderEvents', 'The history of one order', {
        tags: ['Order events'],
        description: 'The whole history, the oldest event first. The history of an unknown order is empty.',
        parameters: [...inMount, orderId],
        responses: {
          200: success('OrderEventList', { 'Cache-Control': validated['Cache-Control'] }),
          ...errorResponses(...read),
        },
      }),
    },
  };
}
