import { PayloadTooLargeException } from '@nestjs/common';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../storage/storage.errors.js';
import { InvalidJsonError, UnsupportedMediaTypeError } from '../http/request.js';
import { settableFields } from '../shipping-methods/method-fields.js';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  TooManyMethodsError,
  VersionMismatchError,
} from '../shipping-methods/shipping-methods.errors.js';
import { InvalidParameterError, ValidationFailedError } from '../validation/violations.js';
import { methodExamples } from './method.schemas.js';
import { ifMatch, ifNoneMatch, listQuery, type Parameter, pathParameters } from './parameters.js';
import { content, created, current, refusals, type Responses, success, updated } from './responses.js';

export const tags = [
  { name: 'Shipping methods', description: 'What a project ships with.' },
  { name: 'Order events', description: 'What happened to an order.' },
];

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: object;
  responses: Responses;
}
export type PathItem = Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>;

const { id, version } = methodExamples.ShippingMethod;
const tooLong = 'project_id must be at most 64 characters, not 65.';
const misspelt = '/carier_code is no field of a shipping method.';
const ofReads = [
  new InvalidParameterError({ errors: [{ parameter: 'project_id', code: 'length', detail: tooLong }] }),
  new DatabaseUnavailableError(undefined),
];
const ofWrites = [...ofReads, new OutcomeUnknownError(undefined)];
const ofBodies = [
  new ValidationFailedError({
    errors: [{ pointer: '/carier_code', code: 'unknown', detail: misspelt, allowed: settableFields }],
  }),
  ...ofWrites,
  new InvalidJsonError(),
  new PayloadTooLargeException(),
  new UnsupportedMediaTypeError(),
];
const ofOne = [new MethodNotFoundError(), new MethodInUseError(undefined), new VersionMismatchError(version)];
const requestBody = { required: true, content: content('UpsertShippingMethodRequest') };

/**
 * The six routes by path.
 * @param base the path of the mount, with `{project_id}`
 */
export function shippingPaths(base: string, maxPageSize: number): Record<string, PathItem> {
  const [methods, events] = [`${base}/shipments/methods`, `${base}/{order_id}/events`];
  const [tree, one] = [`${methods}/tree`, `${methods}/{method_id}`];
  const ofMethods = { tags: ['Shipping methods'] };
  return {
    [methods]: {
      post: {
        operationId: 'createShippingMethod',
        summary: 'Create a shipping method',
        ...ofMethods,
        description:
          'The pair `carrier_code`, `method_code` is unique in a project. When it is taken, the refusal names the method that has it, and says whether that one is identical: then a retry was safe.',
        parameters: pathParameters(methods),
        requestBody,
        responses: {
          201: success('ShippingMethod', created),
          ...refusals(...ofBodies, new DuplicateMethodError(id, true), new TooManyMethodsError(10_000)),
        },
      },
      get: {
        operationId: 'listShippingMethods',
        summary: 'List shipping methods',
        ...ofMethods,
        description:
          'One page of the methods that match, ordered by `sort_order`, `carrier_code`, `method_code`. Inherited values count. A page past the end has no data and the true total.',
        parameters: [...pathParameters(methods), ...listQuery(maxPageSize), ifNoneMatch],
        responses: { ...current('ShippingMethodPage'), ...refusals(...ofReads) },
      },
    },
    [tree]: {
      get: {
        operationId: 'getShippingMethodTree',
        summary: 'All shipping methods by carrier',
        ...ofMethods,
        description: 'Inactive ones too. Carriers are ordered by their smallest `sort_order`, then by code.',
        parameters: [...pathParameters(tree), ifNoneMatch],
        responses: { ...current('ShippingTree'), ...refusals(...ofReads) },
      },
    },
    [one]: {
      patch: {
        operationId: 'updateShippingMethod',
        summary: 'Update a shipping method',
        ...ofMethods,
        description:
          'The required fields must be there. Optional ones that are left out keep their value; null puts back their default. An update that changes nothing keeps `version` and `updated_at`.',
        parameters: [...pathParameters(one), ifMatch],
        requestBody,
        responses: {
          200: success('ShippingMethod', updated),
          ...refusals(...ofBodies, new DuplicateMethodError(id), ...ofOne),
        },
      },
      delete: {
        operationId: 'deleteShippingMethod',
        summary: 'Delete a shipping method',
        ...ofMethods,
        description: 'Refused while records of the host refer to it.',
        parameters: [...pathParameters(one), ifMatch],
        responses: { 204: { description: 'It is gone.' }, ...refusals(...ofWrites, ...ofOne) },
      },
    },
    [events]: {
      get: {
        operationId: 'listOrderEvents',
        summary: 'The history of one order',
        tags: ['Order events'],
        description: 'All of it, oldest first. An unknown order has an empty one.',
        parameters: pathParameters(events),
        responses: { 200: success('OrderEventList'), ...refusals(...ofReads) },
      },
    },
  };
}
