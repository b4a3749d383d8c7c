import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type HttpRequest, jsonBody } from './request.js';

// With `@Param()` and `@Body()`, a host's global pipes would convert and strip the values first. Nest's ValidationPipe
// leaves custom decorators alone. With `validateCustomDecorators`, it finds no class to check them against.

/** The key of the metadata. Nest 10.0 has no `Reflector.createDecorator()`. */
const projectParameter = 'nestjs-shipping:project-parameter';

/** Gives a mounted controller the name of the project's path parameter. */
export const ProjectParameter = (name: string): ClassDecorator => SetMetadata(projectParameter, name);

const reflector = new Reflector();

const requestOf = (context: ExecutionContext): HttpRequest => context.switchToHttp().getRequest();

export const ProjectId = createParamDecorator(
  (_data: unknown, context) =>
    requestOf(context).params[reflector.get<string>(projectParameter, context.getClass())] ?? '',
);
export const PathId = createParamDecorator((name: string, context) => requestOf(context).params[name] ?? '');
/** The parsed body, or `{}` when there is none. @throws UnsupportedMediaTypeError */
export const JsonBody = createParamDecorator((_data: unknown, context) => jsonBody(requestOf(context)));
