import { type OrderEventsService, type ShippingMethodsService } from 'nestjs-shipping';
import { type Client } from '../../../test/support/client.js';

/** The target of an attempt: a method and an order of the caller, of another tenant or of nobody. */
export interface Aim {
  methodId: string;
  orderId: string;
}

const change = { carrier_code: 'fresh', method_code: 'fresh', method_label: 'Mine now', sort_order: 7 };
const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

interface Responded {
  status: number;
  text: string;
  headers: Headers;
}

type Attempt = [name: string, send: (client: Client, aim: Aim) => Promise<Responded>];

/** Every place of the six routes that can name something of another tenant. */
export const attempts: readonly Attempt[] = [
  ['PATCH', (client, { methodId }) => client.update(methodId, change)],
  ['PATCH at a version', (client, { methodId }) => client.update(methodId, change, { 'if-match': '"1"' })],
  ['PATCH at a wrong version', (client, { methodId }) => client.update(methodId, change, { 'if-match': '"9"' })],
  ['PATCH at any version', (client, { methodId }) => client.update(methodId, change, { 'if-match': '*' })],
  ['PATCH, refused', (client, { methodId }) => client.update(methodId, { ...change, sort_order: 'x' })],
  ['DELETE', (client, { methodId }) => client.remove(methodId)],
  ['DELETE at a version', (client, { methodId }) => client.remove(methodId, { 'if-match': '"1"' })],
  ['DELETE at any version', (client, { methodId }) => client.remove(methodId, { 'if-match': '*' })],
  ['events', (client, { orderId }) => client.events(orderId)],
  ['list by filter', (client, { methodId }) => client.list(`filter[id]=${methodId}`)],
  ['list by filter in JSON', (client, { methodId }) => client.list(`filter=${json({ id: [methodId] })}`)],
  ['list by raw filter', (client, { methodId }) => client.list(`raw_filters=${json([{ field: 'id', op: 'eq', value: methodId }])}`)],
  ['list by an alternative', (client, { methodId }) =>
    client.list(`raw_filters=${json([{ or: [{ field: 'id', op: 'in', value: [methodId] }, { field: 'id', op: 'eq', value: methodId }] }])}`)],
  ['POST with an id', (client, { methodId }) => client.create({ ...change, id: methodId })],
]; // prettier-ignore

/** Reads that show everything in the client's project. */
export const views: readonly Attempt[] = [
  ['list', (client) => client.list('per_page=100')],
  ['search', (client) => client.list('q=canary')],
  ['filter by label', (client) => client.list('filter[method_label]=canary-label')],
  ['everything but', (client) => client.list(`raw_filters=${json([{ field: 'carrier_code', op: 'ne', value: 'x' }])}`)],
  ['any of everything', (client) => client.list(`raw_filters=${json([{ or: [{ field: 'version', op: 'gte', value: 1 }, { field: 'id', op: 'null', value: false }] }])}`)],
  ['tree', (client) => client.tree()],
]; // prettier-ignore

/** Everything in a response, except its date. */
export function tellingOf({ status, text, headers }: Responded): string {
  const comparedHeaders = Array.from(headers).filter(([name]) => name !== 'date');
  return JSON.stringify([status, text, comparedHeaders]);
}

/** Calls of both services with arguments of any type, as a careless caller may pass them. */
export function calls(
  methods: ShippingMethodsService,
  events: OrderEventsService,
): [name: string, call: (project: unknown, aim: Record<keyof Aim, unknown>) => Promise<unknown>][] {
  const on =
    (service: object) =>
    (name: string, ...args: unknown[]): Promise<unknown> =>
      Promise.resolve(Reflect.apply(Reflect.get(service, name), service, args));
  const call = on(methods);
  return [
    ['find', (project, { methodId }) => call('find', project, methodId)],
    ['update', (project, { methodId }) => call('update', project, methodId, change)],
    ['remove', (project, { methodId }) => call('remove', project, methodId)],
    ['remove at a version', (project, { methodId }) => call('remove', project, methodId, { etag: '"1"' })],
    ['list', (project, { methodId }) => call('list', project, { filter: { id: methodId } })],
    ['findByCodes', (project) => call('findByCodes', project, 'canary', 'canary')],
    ['findActive', (project) => call('findActive', project)],
    ['tree', (project) => call('tree', project)],
    ['events', (project, { orderId }) => on(events)('list', project, orderId)],
  ]; // prettier-ignore
}
