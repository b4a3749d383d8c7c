import { BadRequestException, PayloadTooLargeException } from '@nestjs/common';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../database/database.errors.js';
import { InvalidJsonError, UnsupportedMediaTypeError } from '../http/request.js';
import { settableFields } from '../shipping-methods/method-fields.js';
import * as errors from '../shipping-methods/shipping-methods.errors.js';
import { InvalidParameterError, ValidationFailedError } from '../validation/violations.js';
import { methodExamples } from './method.schemas.js';
import { ifMatch, ifNoneMatch, listQuery, pathParameters } from './parameters.js';
import { content, created, current, refusals, type Responses, success, updated } from './responses.js';
import { type Schema } from './schema.js';

export const tags = [
  { name: 'Shipping methods', description: 'The shipping methods of a project.' },
  { name: 'Order events', description: 'The history of an order.' },
];

type Details = Schema & { parameters: object[]; responses: Responses };

function operation(operationId: string, summary: string, details: Details) {
  return { tags: ['Shipping methods'], operationId, summary, ...details };
}
type Operation = ReturnType<typeof operation>;

const { id, version } = methodExamples.ShippingMethod;
const misspelledDetail = '/carier_code is not a field of a shipping method.';
const [unavailable, unknownOutcome] = [
  new DatabaseUnavailableError(undefined),
  new OutcomeUnknownError(undefined),
];
const bodyRefusals = [
  new ValidationFailedError({
    errors: [{ pointer: '/carier_code', code: 'unknown', detail: misspelledDetail, allowed: settableFields }],
  }),
  new InvalidJsonError(),
  new BadRequestException('The body cannot be read.'),
  new PayloadTooLargeException(),
  new UnsupportedMediaTypeError(),
];
const createRefusals = [new errors.DuplicateMethodError(id, true), new errors.TooManyMethodsError(10_000)];
const methodRefusals = [
  new errors.MethodNotFoundError(),
  new errors.MethodInUseError(undefined),
  new errors.VersionMismatchError(version, id),
];
const updateRefusals = [new errors.DuplicateMethodError(id), ...methodRefusals];
const requestBody = { required: true, content: content('UpsertShippingMethodRequest') };

/** @returns the refusals of reads and of writes; their examples name the project's parameter */
function refusalsFor(project: string) {
  const detail = `${project} must have at most 64 characters, not 65.`;
  const invalid = new InvalidParameterError({ errors: [{ parameter: project, code: 'length', detail }] });
  const readRefusals = [invalid, unavailable];
  const writeRefusals = [...readRefusals, unknownOutcome];
  return { readRefusals, writeRefusals };
}

/**
 * @param base the path of the mount, with its parameters as `{name}`
 * @param project the name of the parameter that is the project
 */
export function shippingPaths(
  base: string,
  project: string,
  maxPageSize: number,
): Record<string, Record<string, Operation>> {
  const { readRefusals, writeRefusals } = refusalsFor(project);
  const [methods, events] = [`${base}/shipments/methods`, `${base}/{order_id}/events`];
  const [tree, method] = [`${methods}/tree`, `${methods}/{method_id}`];
  return {
    [methods]: {
      post: operation('createShippingMethod', 'Create a shipping method', {
        description:
          'The pair of `carrier_code` and `method_code` is unique in a project. If a method has the pair already, the refusal names that method, and says whether it stores what was sent. If it does, a retry was safe.',
        parameters: pathParameters(methods, project),
        requestBody,
        responses: {
          201: success('ShippingMethod', created),
          ...refusals(...bodyRefusals, ...writeRefusals, ...createRefusals),
        },
      }),
      get: operation('listShippingMethods', 'List shipping methods', {
        description:
          'One page of the methods that match, ordered by `sort_order`, `carrier_code` and `method_code`. If a method inherits a value, that value counts, not the stored one. A page past the end has no data, and the true total.',
        parameters: [...pathParameters(methods, project), ...listQuery(maxPageSize), ifNoneMatch],
        responses: { ...current('ShippingMethodPage'), ...refusals(...readRefusals) },
      }),
    },
    [tree]: {
      get: operation('getShippingMethodTree', 'All shipping methods by carrier', {
        description:
          'Inactive methods are included. Carriers are ordered by their smallest `sort_order`, then by code.',
        parameters: [...pathParameters(tree, project), ifNoneMatch],
        responses: { ...current('ShippingTree'), ...refusals(...readRefusals) },
      }),
    },
    [method]: {
      patch: operation('updateShippingMethod', 'Update a shipping method', {
        description:
          'The required fields must be sent, too. If nothing changes, `version` and `updated_at` stay as they are.',
        parameters: [...pathParameters(method, project), ifMatch],
        requestBody,
        responses: {
          200: success('ShippingMethod', updated),
          ...refusals(...bodyRefusals, ...writeRefusals, ...updateRefusals),
        },
      }),
      delete: operation('deleteShippingMethod', 'Delete a shipping method', {
        description: 'A method to which records of the host refer cannot be deleted.',
        parameters: [...pathParameters(method, project), ifMatch],
        responses: {
          204: { description: 'The method is deleted.' },
          ...refusals(...writeRefusals, ...methodRefusals),
        },
      }),
    },
    [events]: {
      get: operation('listOrderEvents', 'The history of one order', {
        tags: ['Order events'],
        description: 'The whole history, the oldest event first. The history of an unknown order is empty.',
        parameters: pathParameters(events, project),
        responses: { 200: success('OrderEventList'), ...refusals(...readRefusals) },
      }),
    },
  };
}
