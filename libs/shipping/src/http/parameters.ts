import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type HttpRequest, jsonBody, urlOf } from './request.js';

// What the handlers read of a request. `@Param()`, `@Query()` and `@Body()` would run a host's global pipes first, which
// convert and strip. Nest's ValidationPipe leaves these alone, unless its option `validateCustomDecorators` is set.

function parameter<Read>(read: (request: HttpRequest) => Read): () => ParameterDecorator {
  const decorator = createParamDecorator((_data: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<HttpRequest>()),
  );
  return () => decorator();
}

export const ProjectId = parameter(({ params }) => params['project_id'] ?? '');
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
