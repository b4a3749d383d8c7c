import { PayloadTooLargeException } from '@nestjs/common';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../storage/storage.errors.js';
import { InvalidJsonError, UnsupportedMediaTypeError } from '../http/request.js';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  VersionMismatchError,
} from '../shipping-methods/shipping-methods.errors.js';
import { events, method, page, request, tree } from './examples.js';
import {
  ifMatch,
  ifNoneMatch,
  listQuery,
  methodId,
  mountParameters,
  orderId,
  type Parameter,
} from './parameters.js';
import {
  badBody,
  badParameter,
  created,
  notModified,
  refusals,
  type Response,
  success,
  updated,
  validated,
} from './responses.js';
import { type Dialect, ref } from './schema.js';

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Response['content'] };
  responses: Record<string, Response>;
}

export type PathItem = Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>;

const methodsTag = { name: 'Shipping methods', description: 'What a project ships with.' };
const eventsTag = { name: 'Order events', description: 'What happened to an order.' };
export const tags = [methodsTag, eventsTag];

/**
 * The six routes by path.
 * @param base the path of the mount, with `{project_id}`
 */
export function shippingPaths(base: string, maxPageSize: number, dialect: Dialect): Record<string, PathItem> {
  const mount = mountParameters(base);
  const methods = { tags: [methodsTag.name] };
  const readRefusals = refusals(badParameter(), new DatabaseUnavailableError(undefined));
  const read = (schema: string, example: object): Operation['responses'] => ({
    200: success(schema, example, validated),
    304: notModified,
    ...readRefusals,
  });
  const writeRefusals = [new DatabaseUnavailableError(undefined), new OutcomeUnknownError(undefined)];
  const bodyRefusals = [
    badBody(),
    badParameter(),
    new InvalidJsonError(),
    new PayloadTooLargeException(),
    new UnsupportedMediaTypeError(),
    ...writeRefusals,
  ];
  return {
    [`${base}/shipments/methods`]: {
      post: {
        ...methods,
        operationId: 'createShippingMethod',
        summary: 'Create a shipping method',
        description:
          'The pair `carrier_code`, `method_code` is unique in a project. When it is taken, the refusal names the method that has it, and says whether that one is identical: then a retry was safe.',
        parameters: mount,
        requestBody,
        responses: {
          201: success('ShippingMethod', method, created),
          ...refusals(...bodyRefusals, new DuplicateMethodError(method.id, true)),
        },
      },
      get: {
        ...methods,
        operationId: 'listShippingMethods',
        summary: 'List shipping methods',
        description:
          'A page of the methods that match, as they are presented, by `sort_order`, `carrier_code`, `method_code`. Past the end: no data, the true total.',
        parameters: [...mount, ...listQuery(maxPageSize, dialect), ifNoneMatch],
        responses: read('ShippingMethodPage', page),
      },
    },
    [`${base}/shipments/methods/tree`]: {
      get: {
        ...methods,
        operationId: 'getShippingMethodTree',
        summary: 'All shipping methods by carrier',
        description: 'Inactive ones too. Carriers stand by their smallest `sort_order`, then by code.',
        parameters: [...mount, ifNoneMatch],
        responses: read('ShippingTree', tree),
      },
    },
    [`${base}/shipments/methods/{method_id}`]: {
      patch: {
        ...methods,
        operationId: 'updateShippingMethod',
        summary: 'Update a shipping method',
        description:
          'The required fields must be there; optional ones left out keep their value, null puts back their default. What changes nothing keeps `version` and `updated_at`.',
        parameters: [...mount, methodId, ifMatch],
        requestBody,
        responses: {
          200: success('ShippingMethod', method, updated),
          ...refusals(
            ...bodyRefusals,
            new MethodNotFoundError(),
            new DuplicateMethodError(method.id),
            new MethodInUseError(undefined),
            new VersionMismatchError(method.version),
          ),
        },
      },
      delete: {
        ...methods,
        operationId: 'deleteShippingMethod',
        summary: 'Delete a shipping method',
        description: 'Refused while records of the host refer to it.',
        parameters: [...mount, methodId, ifMatch],
        responses: {
          204: { description: 'It is gone.' },
          ...refusals(
            badParameter(),
            new MethodNotFoundError(),
            new MethodInUseError(undefined),
            new VersionMismatchError(method.version),
            ...writeRefusals,
          ),
        },
      },
    },
    [`${base}/{order_id}/events`]: {
      get: {
        tags: [eventsTag.name],
        operationId: 'listOrderEvents',
        summary: 'The history of one order',
        description: 'All of it, oldest first. An unknown order has an empty one.',
        parameters: [...mount, orderId],
        responses: { 200: success('OrderEventList', events), ...readRefusals },
      },
    },
  };
}

const requestBody: Operation['requestBody'] = {
  required: true,
  content: { 'application/json': { schema: ref('UpsertShippingMethodRequest'), example: request } },
};
