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
  /** Makes text or bytes of whatever is sent on this response; null: as on every other route. */
  serializer(serialize: ((sent: unknown) => unknown) | null): unknown;
  serialize(sent: unknown): unknown;
}

/** That of Express is that of Node. */
type ExpressResponse = AnyResponse & ServerResponse & { json(body: unknown): unknown };

/** What Express and Fastify have in common, as far as we use it. */
export type HttpResponse = FastifyResponse | ExpressResponse;

interface Answer {
  headers: Readonly<Record<string, string>>;
  /** The client has it already: it gets 304. */
  isHeld: boolean;
}

/** An interceptor may run a handler again. The last answer is the one to send. */
const answers = new WeakMap<HttpResponse, Answer>();

/**
 * Gives an answer its headers when Nest sends it, after all interceptors, and only if it has not become a refusal by
 * then. JSON that is at hand (`withJson`) is sent as it is, if nobody has looked into its value.
 * @returns the value, for the handler to return, also when the client has it already: interceptors expect one
 */
export function answer<Value extends object>(
  response: HttpResponse,
  value: Value,
  headers: Answer['headers'],
  isHeld = false,
): Value {
  if (!answers.has(response)) {
    if ('serializer' in response) onSendOfFastify(response);
    else onSendOfExpress(response);
  }
  answers.set(response, { headers, isHeld });
  return value;
}

const jsonType = 'application/json; charset=utf-8';

function onSendOfFastify(response: FastifyResponse): void {
  response.serializer((sent) => {
    completeHead(response);
    if (response.statusCode === 304) return undefined;
    if (!response.hasHeader('content-type')) response.header('Content-Type', jsonType);
    const json = unread(sent);
    if (json) return json;
    response.serializer(null);
    return response.serialize(sent);
  });
}

function onSendOfExpress(response: ExpressResponse): void {
  const { json: send } = response;
  response.json = (sent) => {
    completeHead(response);
    if (response.statusCode === 304) return response.send();
    const json = unread(sent);
    if (!json) return send.call(response, sent);
    response.header('Content-Type', jsonType);
    return response.send(json);
  };
}

function completeHead(response: HttpResponse): void {
  const found = answers.get(response);
  if (!found || response.statusCode >= 400) return;
  for (const name in found.headers) response.header(name, found.headers[name] ?? '');
  if (found.isHeld) response.status(304);
}

/** The JSON of a value, and what was parsed of it for those who look into the value. */
interface Source {
  json: Buffer;
  members: PropertyDescriptorMap;
  parsed?: Record<string, unknown>;
}

const sources = new WeakMap<object, Source>();

/**
 * A plain value whose JSON is at hand. It is parsed for the first who looks into it. So whatever a host's interceptor
 * does to the value reaches neither the JSON nor another request, and we know whether anybody may have changed it.
 * @param json of an object whose members are `data` and, for a page, `meta`
 */
export function withJson<Value extends { data: unknown }>(json: Buffer, { isPage = false } = {}): Value {
  const members = isPage ? pageMembers : treeMembers;
  const value = Object.defineProperties({}, members);
  sources.set(value, { json, members });
  return value as Value;
}

/** @returns the JSON of a value of `withJson` that nobody has looked into */
function unread(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const source = sources.get(value);
  if (!source || source.parsed) return undefined;
  const { json, members } = source;
  // An interceptor may have added, removed or replaced a member without a look at it.
  const isOurs = (name: string): boolean =>
    Object.getOwnPropertyDescriptor(value, name)?.get === members[name]?.get;
  const names = Object.keys(members);
  return Object.keys(value).length === names.length && names.every(isOurs) ? json : undefined;
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
const treeMembers = { data: member('data'), ...inspected };
const pageMembers = { ...treeMembers, meta: member('meta') };
