import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
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

/** The name of the project's path parameter, for each mounted controller. */
const projectParameters = new WeakMap<object, string>();

export function setProjectParameter(controller: object, name: string): void {
  projectParameters.set(controller, name);
}

export const ProjectId = parameter(
  ({ params }, context) => params[projectParameters.get(context.getClass()) ?? ''] ?? '',
);
export const MethodId = parameter(({ params }) => params['method_id'] ?? '');
export const OrderId = parameter(({ params }) => params['order_id'] ?? '');
/** The parsed body, or `{}` when there is none. @throws UnsupportedMediaTypeError */
export const JsonBody = parameter(jsonBody);
/** The path of the URL. The `Location` of a new method is below it. */
export const Path = parameter((request) => urlOf(request).path);
/** The part of the URL after `?`, as it was sent. */
export const Search = parameter((request) => urlOf(request).search);
/** The header, or undefined. */
export const IfMatch = parameter(({ headers }) => headers['if-match']);
/** The header, or undefined. */
export const IfNoneMatch = parameter(({ headers }) => headers['if-none-match']);
