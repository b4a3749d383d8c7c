import { type ServerResponse } from 'node:http';
import { inspect } from 'node:util';

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
  /** Makes text or bytes of whatever is sent on this response. */
  serializer(serialize: (sent: unknown) => unknown): unknown;
}

/** That of Express is that of Node. */
type ExpressResponse = AnyResponse & ServerResponse & { json(body: unknown): unknown };

/** What Express and Fastify have in common, as far as we use it. */
export type HttpResponse = FastifyResponse | ExpressResponse;

type Headers = Readonly<Record<string, string>>;

const jsonType = 'application/json; charset=utf-8';

/**
 * Gives an answer its headers when Nest sends it, after all interceptors, and only if it has not become a refusal by
 * then. JSON that is at hand (`withJson`) is sent as it is, if nobody has looked into its value.
 * @returns the value, for the handler to return
 */
export function answer<Value extends object>(response: HttpResponse, value: Value, headers: Headers): Value {
  const jsonOf = (sent: unknown): Buffer | undefined => {
    if (response.statusCode < 400) for (const name in headers) response.header(name, headers[name] ?? '');
    return unread(sent);
  };
  if ('serializer' in response) {
    response.serializer((sent) => {
      const json = jsonOf(sent);
      if (!response.hasHeader('content-type')) response.header('Content-Type', jsonType);
      return json ?? (typeof sent === 'string' ? sent : JSON.stringify(sent));
    });
  } else {
    const { json: send } = response;
    response.json = (sent) => {
      const json = jsonOf(sent);
      if (!json) return send.call(response, sent);
      response.header('Content-Type', jsonType);
      return response.send(json);
    };
  }
  return value;
}

/** Answers 304. What an interceptor makes of the missing value is not sent. */
export function notModified(response: HttpResponse, headers: Headers): undefined {
  response.status(304);
  for (const name in headers) response.header(name, headers[name] ?? '');
  if ('serializer' in response) response.serializer(() => undefined);
}

/** The JSON of a value, and what was parsed of it for those who look into the value. */
interface Source {
  json: Buffer;
  /** Of its members. */
  names: string;
  parsed?: Record<string, unknown>;
}

const sources = new WeakMap<object, Source>();

/**
 * A plain value whose JSON is at hand. It is parsed for the first who looks into it. So whatever a host's interceptor
 * does to the value reaches neither the JSON nor another request, and we know whether anybody may have changed it.
 * @param json of an object whose members are `data` and, for a page, `meta`
 */
export function withJson<Value extends { data: unknown }>(json: Buffer, isPage = false): Value {
  const value = Object.defineProperties({}, isPage ? pageMembers : members);
  sources.set(value, { json, names: isPage ? 'data,meta' : 'data' });
  return value as Value;
}

/** @returns the JSON of a value of `withJson` that nobody has looked into */
function unread(value: unknown): Buffer | undefined {
  const source = typeof value === 'object' && value !== null ? sources.get(value) : undefined;
  if (!source || source.parsed) return undefined;
  // An interceptor may have added, removed or renamed a member without a look at it.
  return Object.keys(value as object).join() === source.names ? source.json : undefined;
}

function parsed(value: object): Record<string, unknown> {
  const source = sources.get(value);
  if (!source) throw new TypeError('This is no value of withJson().');
  return (source.parsed ??= JSON.parse(String(source.json)) as Record<string, unknown>);
}

// One pair of functions for all values: with functions of its own, each value would take several times as long.
function member(name: string): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: object) {
      return parsed(this)[name];
    },
    set(this: object, changed: unknown) {
      parsed(this)[name] = changed;
    },
  };
}

const shown: PropertyDescriptor = {
  value(this: object) {
    return parsed(this);
  },
};
/** For `console.log`, which would show the accessors. */
const inspected = { [inspect.custom]: shown };
const members = { data: member('data'), ...inspected };
const pageMembers = { data: member('data'), meta: member('meta'), ...inspected };
