import { describe, expect, it } from 'vitest';
import { MethodNotFoundError } from './shipping-methods.errors.js';

describe('an error of ours', () => {
  it('has the problem that clients receive, and the fields of Nest’s exceptions', () => {
    const error = new MethodNotFoundError();
    const problem = {
      type: 'urn:problem:shipping:method_not_found',
      title: 'Shipping method not found',
      status: 404,
      code: 'method_not_found',
      detail: 'This project has no such shipping method.',
    };

    expect(error.problem).toEqual(problem);
    expect(error.getStatus()).toBe(404);
    expect(error.message).toBe(problem.detail);
    expect(error.getResponse()).toEqual({
      ...problem,
      statusCode: 404,
      error: problem.title,
      message: problem.detail,
    });
  });
});
