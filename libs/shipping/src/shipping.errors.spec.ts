import { HttpException, Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as shipping from './index.js';

const place = { pointer: '/x', code: 'type', detail: 'No text.' } as const;

/** An error of each code. The type checker finds a code that is missing here. */
const errorsOf = (copy: typeof shipping): Record<shipping.ShippingErrorCode, shipping.ShippingError> => ({
  validation_failed: new copy.ValidationFailedError([place]),
  invalid_parameter: new copy.InvalidParameterError([place]),
  invalid_json: new copy.InvalidJsonError(),
  unsupported_media_type: new copy.UnsupportedMediaTypeError(),
  method_not_found: new copy.MethodNotFoundError(),
  duplicate_method: new copy.DuplicateMethodError('id'),
  too_many_methods: new copy.TooManyMethodsError(3),
  too_many_removals: new copy.TooManyRemovalsError(3, 1),
  method_in_use: new copy.MethodInUseError(undefined),
  version_mismatch: new copy.VersionMismatchError(3, 'id'),
  database_unavailable: new copy.DatabaseUnavailableError(undefined),
  outcome_unknown: new copy.OutcomeUnknownError(undefined),
  transaction_failed: new copy.FailedTransactionError(undefined),
  transaction_ended: new copy.EndedTransactionError(),
});

describe.each(Object.entries(errorsOf(shipping)))('the error %s', (code, error) => {
  it('has the code that its type says', () => {
    expect(error.code).toBe(code);
    expect(shipping.isShippingError(error)).toBe(true);
  });

  it('has a problem and a status if clients may see it, and is a plain error if not', () => {
    const isForDevelopers = code.startsWith('transaction_');

    expect(error instanceof HttpException).toBe(!isForDevelopers);
    expect(error instanceof shipping.ShippingHttpError && error.problem.code).toBe(!isForDevelopers && code);
  });

  it('shows no mark in a log', () => {
    expect(Object.getOwnPropertySymbols(error)).toEqual([]);
  });

  it('has no property "errors", which drivers of GraphQL take for a list of their own', () => {
    expect(error).not.toHaveProperty('errors');
  });
});

it.each([[new Error('x')], [new HttpException('x', 400)], [{ code: 'duplicate_method' }], [undefined]])(
  'is not an error of this library: %j',
  (other) => expect(shipping.isShippingError(other)).toBe(false),
);

describe('an error of another copy of this package', () => {
  let copy: typeof shipping;
  beforeAll(async () => {
    vi.resetModules();
    copy = await import('./index.js');
  });

  /** @returns what the filter sends */
  const caught = (exception: Error): unknown[] => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const sent: unknown[] = [];
    const response = {
      status: (code: number) => sent.push(code),
      header: (name: string, value: string) => sent.push(`${name}: ${value}`),
      serializer: () => undefined,
      send: (body: string) => sent.push(JSON.parse(body).code),
    };
    new shipping.ProblemDetailsFilter().catch(exception, new ExecutionContextHost([undefined, response]));
    logged.mockRestore();
    return sent;
  };

  it('is known, although it is an instance of no class of ours', () => {
    for (const error of Object.values(errorsOf(copy))) {
      expect(error instanceof shipping.ShippingHttpError).toBe(false);
      expect(shipping.isShippingError(error)).toBe(true);
    }
  });

  it('is sent with its code and its headers', () => {
    const type = 'Content-Type: application/problem+json';

    expect(caught(new copy.OutcomeUnknownError(undefined))).toEqual([
      503,
      expect.stringMatching(/^Retry-After: [123]$/),
      type,
      'outcome_unknown',
    ]);
    expect(caught(new copy.EndedTransactionError())).toEqual([500, type, 'internal_server_error']);
  });
});
