import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type HttpRequest, jsonBody } from './request.js';

// With `@Param()` and `@Body()`, a host's global pipes would convert and strip the values first. Nest's ValidationPipe leaves
// custom decorators alone, unless its option `validateCustomDecorators` is set.

/** The name of the project's path parameter, for each mounted controller. */
export const projectParameters = new WeakMap<object, string>();

const requestOf = (context: ExecutionContext): HttpRequest => context.switchToHttp().getRequest();

export const ProjectId = createParamDecorator(
  (_data: unknown, context) =>
    requestOf(context).params[projectParameters.get(context.getClass()) ?? ''] ?? '',
);
export const PathId = createParamDecorator(
  (name: 'method_id' | 'order_id', context) => requestOf(context).params[name] ?? '',
);
/** The parsed body, or `{}` when there is none. @throws UnsupportedMediaTypeError */
export const JsonBody = createParamDecorator((_data: unknown, context) => jsonBody(requestOf(context)));
