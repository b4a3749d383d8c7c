import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { InvalidParameterError } from '../validation/violations.js';
import { type HttpRequest, jsonBody, urlOf } from './request.js';

// These decorators read a request for the handlers. With `@Param()`, `@Query()` and `@Body()`, a host's global pipes would
// convert and strip the values first. Nest's ValidationPipe leaves custom decorators alone, unless its option
// `validateCustomDecorators` is set.

function parameter<Read>(
  read: (request: HttpRequest, context: ExecutionContext) => Read,
): () => ParameterDecorator {
  const decorator = createParamDecorator((_data: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<HttpRequest>(), context),
  );
  return () => decorator();
}

const projectParameterKey = 'nestjs-shipping:project-parameter';

/** Says which parameter of the path is the project. */
export const ProjectParameter = (name: string): ClassDecorator => SetMetadata(projectParameterKey, name);

export const ProjectId = parameter(({ params }, context) => {
  const name = Reflect.getMetadata(projectParameterKey, context.getClass()) as string;
  return params[name] ?? '';
});
export const MethodId = parameter(({ params }) => params['method_id'] ?? '');
export const OrderId = parameter(({ params }) => params['order_id'] ?? '');
/** `{}` when there is none. @throws UnsupportedMediaTypeError */
export const JsonBody = parameter(jsonBody);
/** The path of the URL, for a `Location` below it. */
export const Path = parameter((request) => urlOf(request).path);
/** What stands after `?` in the URL, as it was sent. */
export const Search = parameter((request) => urlOf(request).search);
/** The header, or undefined. */
export const IfMatch = parameter(({ headers }) => headers['if-match']);
/** The header, or undefined. */
export const IfNoneMatch = parameter(({ headers }) => headers['if-none-match']);

/**
 * Violations of a service name its parameters. A route has other names for them, which its client knows.
 * @param projectName the name of the parameter of the path that is the project
 * @returns the error to throw
 */
export function asOfPath(error: unknown, projectName: string): unknown {
  if (!(error instanceof InvalidParameterError)) return error;
  const names: Record<string, string> = { projectId: projectName, orderId: 'order_id' };
  const errors = error.errors.map((violation) => {
    const given = 'parameter' in violation ? violation.parameter : '';
    const name = names[given];
    return name
      ? { ...violation, parameter: name, detail: violation.detail.replace(given, name) }
      : violation;
  });
  return new InvalidParameterError({ ...error.extensions, errors });
}
