/** What Express and Fastify have in common, as far as we use it. */
interface AnyResponse {
  statusCode: number;
  headersSent?: boolean;
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: unknown): unknown;
}

interface FastifyResponse extends AnyResponse {
  sent: boolean;
  hasHeader(name: string): boolean;
  /** Makes text of whatever is sent on this response; null: as on every other route. */
  serializer(serialize: ((sent: unknown) => unknown) | null): unknown;
  serialize(sent: unknown): unknown;
}

interface ExpressResponse extends AnyResponse {
  json(sent: unknown): unknown;
  type(name: string): AnyResponse;
}

export type HttpResponse = FastifyResponse | ExpressResponse;

/** The headers of an answer. */
export interface Head {
  headers: Readonly<Record<string, string>>;
  /** The client has it already: it gets 304. */
  isHeld: boolean;
}

/** An interceptor may run a handler again. The last answer is the one to send. */
const heads = new WeakMap<HttpResponse, Head>();

/**
 * Gives an answer its headers when it is sent, after all interceptors, and only if it has not become a refusal by then.
 * @returns the value, for the handler to return
 */
export function answer<Value extends object>(
  response: HttpResponse,
  value: Value,
  headers: Head['headers'],
  isHeld = false,
): Value {
  if (!heads.has(response)) {
    if ('serializer' in response) onSendOfFastify(response);
    else onSendOfExpress(response);
  }
  heads.set(response, { headers, isHeld });
  return value;
}

const jsonType = 'application/json; charset=utf-8';

function onSendOfFastify(response: FastifyResponse): void {
  response.serializer((sent) => {
    response.serializer(null);
    sendHead(response);
    if (response.statusCode === 304) return undefined;
    if (typeof sent === 'string') return sent;
    if (!response.hasHeader('content-type')) response.header('Content-Type', jsonType);
    return unreadJson(sent) ?? response.serialize(sent);
  });
}

function onSendOfExpress(response: ExpressResponse): void {
  const { json: makeJson } = response;
  // A middleware of the host may have put its own functions there, for instance for an envelope.
  const isPlain = !Object.hasOwn(response, 'json') && !Object.hasOwn(response, 'send');
  response.json = (sent) => {
    sendHead(response);
    if (response.statusCode === 304) return response.send();
    const json = isPlain ? unreadJson(sent) : undefined;
    return json ? response.type('json').send(json) : makeJson.call(response, sent);
  };
}

function sendHead(response: HttpResponse): void {
  const head = heads.get(response);
  if (!head || response.statusCode >= 400) return;
  for (const name in head.headers) response.header(name, head.headers[name] ?? '');
  if (head.isHeld) response.status(304);
}

interface Parsed {
  data: unknown;
  meta?: unknown;
}

/** The JSON of values that nobody has looked into. */
const unread = new WeakMap<object, { json: Buffer; members: string }>();

/**
 * A value whose JSON is at hand. It is parsed for the first who looks into it, such as an interceptor of the host, and is
 * his to change. If nobody does, the JSON is sent as it is.
 * @param json of an object whose members are `data` and, for a page, `meta`
 */
export function withJson<Value extends object>(json: Buffer, { isPage = false } = {}): Value {
  let parsed: Parsed | undefined;
  const read = (): Parsed => {
    if (!parsed) unread.delete(value);
    return (parsed ??= JSON.parse(String(json)) as Parsed);
  };
  const value: Parsed = isPage
    ? {
        get data() {
          return read().data;
        },
        set data(data) {
          read().data = data;
        },
        get meta() {
          return read().meta;
        },
        set meta(meta) {
          read().meta = meta;
        },
      }
    : {
        get data() {
          return read().data;
        },
        set data(data) {
          read().data = data;
        },
      };
  unread.set(value, { json, members: isPage ? 'data,meta' : 'data' });
  return value as Value;
}

function unreadJson(sent: unknown): Buffer | undefined {
  const found = typeof sent === 'object' && sent !== null ? unread.get(sent) : undefined;
  if (!found || !sent || 'toJSON' in (sent as object)) return undefined;
  return Object.keys(sent).join() === found.members ? found.json : undefined;
}
