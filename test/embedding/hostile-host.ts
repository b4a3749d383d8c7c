import { type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  type INestApplication,
  type NestInterceptor,
} from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply } from 'fastify';
import { map } from 'rxjs';
import { type Platform } from './host.js';

// Global set-ups that were seen in real hosts.

/** The methods that the responses of Express and Fastify share. */
interface Response {
  status(code: number): this;
  header(name: string, value: string): this;
  send(body: unknown): this;
}

/** Like the filter of a real shop: it responds to every exception in its own envelope. */
@Catch()
export class MessageFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const isHttp = exception instanceof HttpException;
    const body = isHttp ? exception.getResponse() : {};
    const message = 'message' in Object(body) ? Object(body).message : 'Internal server error';
    const response = host.switchToHttp().getResponse<Response>();
    response.status(isHttp ? exception.getStatus() : 500);
    response.header('content-type', 'application/json').send(JSON.stringify({ message: [message].flat() }));
  }
}

export const wrapping: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(map((data: unknown) => ({ data }))),
};

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
