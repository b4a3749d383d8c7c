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
  request: object;
  hasHeader(name: string): boolean;
  /** Makes text of whatever is sent on this response; null: as on every other route. */
  serializer(serialize: Serializer | null): unknown;
  serialize(sent: unknown): unknown;
  getSerializationFunction(status: string): unknown;
}

type Serializer = (sent: unknown) => unknown;

/** That of Express is that of Node. */
type ExpressResponse = AnyResponse &
  ServerResponse & { app: { get(setting: string): unknown; response: object }; json(body: unknown): unknown };

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
  const serializer = (kept(response, 'fastify.reply.serializer') ?? null) as Serializer | null;
  response.serializer((sent) => {
    response.serializer(serializer);
    completeHead(response);
    if (response.statusCode === 304) return undefined;
    if (serializer) return serializer(sent);
    // Text of the host.
    if (typeof sent === 'string') return sent;
    if (!response.hasHeader('content-type')) response.header('Content-Type', jsonType);
    const json = unread(sent);
    if (!json || !serialisesPlainly(response)) return response.serialize(sent);
    // Hooks of the host expect text, as on its own routes.
    return contextOf(response)?.onSend === null ? json : json.toString();
  });
}

/** Whether Fastify would make the same JSON as we: the host may have a serializer, or a schema for the route. */
function serialisesPlainly(response: FastifyResponse): boolean {
  const hasSchema = ['200', '2xx', 'default'].some((status) => response.getSerializationFunction(status));
  return !hasSchema && kept(contextOf(response), 'fastify.replySerializerDefault') === null;
}

function contextOf({ request }: FastifyResponse) {
  return kept(request, 'fastify.context') as { onSend?: unknown } | undefined;
}

/** Fastify tells what the host has set under symbols only. @returns undefined if it has no symbol of that name */
function kept(target: object = {}, name: string): unknown {
  let symbol = symbols.get(name);
  if (!symbol || !Object.hasOwn(target, symbol)) {
    symbol = Object.getOwnPropertySymbols(target).find(({ description }) => description === name);
    if (!symbol) return undefined;
    symbols.set(name, symbol);
  }
  return (target as Record<symbol, unknown>)[symbol];
}

/** Those found last, by name: a process may have more than one Fastify. */
const symbols = new Map<string, symbol>();

function onSendOfExpress(response: ExpressResponse): void {
  const { app, json: makeJson, send } = response;
  const express = Object.getPrototypeOf(app.response) as ExpressResponse;
  response.json = (sent) => {
    completeHead(response);
    if (response.statusCode === 304) return response.send();
    const json = unread(sent);
    // The host may have put functions of its own in place of Express's, for instance for an envelope.
    const isPlain =
      makeJson === express.json && send === express.send && !jsonSettings.some((name) => app.get(name));
    if (!json || !isPlain) return makeJson.call(response, sent);
    if (!response.hasHeader('content-type')) response.header('Content-Type', jsonType);
    return response.send(json);
  };
}

const jsonSettings = ['json replacer', 'json spaces', 'json escape'];

function completeHead(response: HttpResponse): void {
  const found = answers.get(response);
  if (!found || response.statusCode >= 400) return;
  for (const name in found.headers) response.header(name, found.headers[name] ?? '');
  if (found.isHeld) response.status(304);
}

/** The JSON of a value, and what was parsed of it for those who look into the value. */
interface Source {
  of: object;
  json: Buffer;
  members: PropertyDescriptorMap;
  parsed?: Record<string, unknown>;
}

const sourceOf = Symbol('source');

interface Sourced {
  /** No WeakMap: a Proxy of the value, and an object that inherits from it, must find it too. */
  [sourceOf](): Source;
}

// All values share these functions. If each value had its own, a warm list would take a fifth longer.
function member(name: string): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: Sourced) {
      const source = this[sourceOf]();
      source.parsed ??= JSON.parse(String(source.json)) as Record<string, unknown>;
      return source.parsed[name];
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { enumerable: true, configurable: true, writable: true, value });
    },
  };
}

const treeMembers = {
  data: member('data'),
  // `console.log` would show the accessors.
  [inspect.custom]: {
    value(this: object) {
      return { ...this };
    },
  },
};
const pageMembers = { ...treeMembers, meta: member('meta') };

/**
 * A plain value whose JSON is at hand. It is parsed for the first who looks into it. So whatever a host's interceptor
 * does to the value reaches neither the JSON nor another request, and we know whether anybody may have changed it.
 * @param json of an object whose members are `data` and, for a page, `meta`
 */
export function withJson<Value extends { data: unknown }>(json: Buffer, { isPage = false } = {}): Value {
  const members = isPage ? pageMembers : treeMembers;
  const value = Object.defineProperties({}, members);
  const source: Source = { of: value, json, members };
  return Object.defineProperty(value, sourceOf, { value: () => source, configurable: true }) as Value;
}

/** @returns the JSON of a value of `withJson` that nobody has looked into or changed */
function unread(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null || !(sourceOf in value)) return undefined;
  const { of, json, members, parsed } = (value as Sourced)[sourceOf]();
  if (of !== value || parsed || 'toJSON' in value) return undefined;
  // An interceptor may have added, removed or replaced a member without a look at it.
  const isOurs = (name: string): boolean =>
    Object.getOwnPropertyDescriptor(value, name)?.get === members[name]?.get;
  const names = Object.keys(members);
  return Object.keys(value).length === names.length && names.every(isOurs) ? json : undefined;
}
