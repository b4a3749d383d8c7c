import { type ServerResponse } from 'node:http';

/** What Express and Fastify have in common, as far as we write it. */
export interface HttpResponse {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  removeHeader(name: string): unknown;
  send(body?: unknown): unknown;
}

/** Express's response is the one of Node; Fastify's has it as `raw`. */
type ExpressResponse = HttpResponse & ServerResponse;
type FastifyResponse = HttpResponse & { raw: ServerResponse };

export function isExpress(response: HttpResponse): response is ExpressResponse {
  return 'write' in response;
}

export function nodeResponse(response: HttpResponse | ServerResponse): ServerResponse {
  return 'raw' in response ? (response as FastifyResponse).raw : (response as ServerResponse);
}
