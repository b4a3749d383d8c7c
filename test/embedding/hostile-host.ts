import { type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  ClassSerializerInterceptor,
  type ExceptionFilter,
  HttpException,
  type INestApplication,
  Injectable,
  type NestInterceptor,
  Scope,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply } from 'fastify';
import { map, tap } from 'rxjs';
import { type Platform } from './host.js';

// Global set-ups that were seen in real hosts.

/** The methods that the responses of Express and Fastify share. */
interface Response {
  status(code: number): this;
  header(name: string, value: string): this;
  send(body: unknown): this;
}

/** Like the filter of a real shop: it answers every exception in its own envelope. */
export function answerWithMessage(exception: unknown, host: ArgumentsHost): void {
  const isHttp = exception instanceof HttpException;
  const body = isHttp ? exception.getResponse() : {};
  const message = 'message' in Object(body) ? Object(body).message : 'Internal server error';
  const response = host.switchToHttp().getResponse<Response>();
  response.status(isHttp ? exception.getStatus() : 500);
  response.header('content-type', 'application/json').send(JSON.stringify({ message: [message].flat() }));
}

@Catch()
export class MessageFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    answerWithMessage(exception, host);
  }
}

export const wrapping: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(map((data: unknown) => ({ data }))),
};

/** Sets a header on Node's response when the handler is done. */
export const timing: NestInterceptor = {
  intercept: (context, next) => {
    const response = context.switchToHttp().getResponse<ServerResponse & { raw?: ServerResponse }>();
    return next.handle().pipe(tap(() => (response.raw ?? response).setHeader('x-time', '1')));
  },
};

@Injectable({ scope: Scope.REQUEST })
class GuardOfEachRequest implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

export const guardOfEachRequest = { provide: APP_GUARD, useClass: GuardOfEachRequest };

export function gzips(app: INestApplication, platform: Platform): void {
  if (platform === 'Express') app.use(gzipping);
  else (app as NestFastifyApplication).getHttpAdapter().getInstance().addHook('onSend', gzipped);
}

/** Like the package `compression`: the bytes leave after the call of `end`. */
function gzipping(_request: unknown, response: ServerResponse, next: () => void): void {
  const { write, end } = response;
  const zip = createGzip();
  zip.on('data', (chunk: Buffer) => write.call(response, chunk, 'latin1'));
  zip.on('end', () => end.call(response, undefined, 'latin1'));
  zip.on('drain', () => response.emit('drain'));
  const start = (): boolean => {
    if (response.headersSent) return true;
    if (response.statusCode === 204 || response.statusCode === 304) return false;
    response.setHeader('content-encoding', 'gzip').removeHeader('content-length');
    response.writeHead(response.statusCode);
    return true;
  };
  response.write = (chunk: Buffer | string) => start() && zip.write(chunk);
  response.end = (chunk?: unknown) => {
    if (!start()) return end.call(response, undefined, 'latin1');
    zip.end(chunk);
    return response;
  };
  next();
}

const zippedLater = promisify(gzip);

/** Like `@fastify/compress`: the handler is done when the bytes leave. */
async function gzipped(_request: unknown, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (payload === undefined || payload === null) return payload;
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return zippedLater(payload);
  return (payload as NodeJS.ReadableStream).pipe(createGzip());
}

/** Like `express-session`: it adds a cookie to the headers, and ends the answer when the session is stored. */
export function storesSession(_request: unknown, response: ServerResponse, next: () => void): void {
  const { end, writeHead } = response;
  response.writeHead = (status: number) => {
    response.setHeader('set-cookie', 'sid=1');
    return writeHead.call(response, status);
  };
  response.end = (chunk?: unknown) => {
    setImmediate(() => end.call(response, chunk, 'utf8'));
    return response;
  };
  next();
}

/** All of them at once. The module gets no option except its path, because of the prefix. */
export function hostile(app: INestApplication, platform: Platform): void {
  if (platform === 'Express') app.use(storesSession);
  gzips(app, platform);
  app.setGlobalPrefix('api');
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.enableCors();
  app.useGlobalFilters(new MessageFilter());
  const serializer = new ClassSerializerInterceptor(app.get(Reflector), { strategy: 'excludeAll' });
  app.useGlobalInterceptors(timing, wrapping, serializer);
  app.useGlobalPipes(
    new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      transformOptions: { enableImplicitConversion: true },
    }),
  );
}
