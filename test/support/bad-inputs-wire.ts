import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface WireResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends a request as it is: the path is not normalised, and only `Host`, `Connection` and the length are added.
 * `fetch` would correct what the server has to refuse.
 * @param agent keeps connections open for many requests; without it each request has its own
 */
export function send(
  origin: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body: string | Buffer = '',
  agent: Agent | false = false,
): Promise<WireResponse> {
  const { hostname, port } = new URL(origin);
  const bytes = Buffer.from(body);
  const isFramed = 'content-length' in headers || 'transfer-encoding' in headers;
  const framing = isFramed || method === 'GET' ? {} : { 'content-length': bytes.length };
  const all = Object.entries({ ...framing, ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, method, path, headers: Object.fromEntries(all), agent });
    sending.on('response', (response) => {
      const { statusCode: status = 0, headers: received } = response;
      text(response).then((read) => resolve({ status, headers: received, text: read }), reject);
    });
    // After an early response (413) nobody reads the rest of the body. The promise is resolved by then.
    sending.on('error', reject);
    sending.end(bytes);
  });
}
