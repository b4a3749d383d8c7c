import { type OrderEventDto } from '../../order-events/dto/order-event.dto.js';
import {
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingMethodTree,
  type ShippingMethodTreeCarrier,
} from '../../shipping-methods/dto/shipping-method.dto.js';
import {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from '../../shipping-methods/dto/upsert-shipping-method.dto.js';
import { type Violation } from '../../validation/violations.js';
import { projectId } from './address.js';
import { root, settings, t } from './settings.js';

const ordersOf = (project: string): string =>
  new URL(settings.routes.replace('{project}', encodeURIComponent(project)), root).href;
const methodsOf = (project: string): string => `${ordersOf(project)}/shipments/methods`;
const orders = ordersOf(projectId);
const methods = methodsOf(projectId);

const tokenName = `nestjs-shipping ${root.pathname}`;
export const keepToken = (text: string): void =>
  sessionStorage.setItem(tokenName, text.trim().replace(/^Bearer\s+/i, ''));
/** The admin of the backend may hand the token over in the fragment, which browsers send to no server. */
const [, handedOver] = /^#token=(.+)$/.exec(location.hash) ?? [];
if (settings.login === 'bearer' && handedOver) {
  history.replaceState(null, '', location.pathname + location.search);
  keepToken(decoded(handedOver));
}
/** The token is kept as long as the tab is open. */
export const token = settings.login === 'bearer' ? sessionStorage.getItem(tokenName) : null;

function csrfHeader(): Record<string, string> | undefined {
  if (!settings.csrf) return undefined;
  const { cookie, header } = settings.csrf;
  const pairs = document.cookie.split('; ').map((pair) => pair.split(/=(.*)/));
  const [, value] = pairs.find(([name]) => name === cookie) ?? [];
  return value ? { [header]: decoded(value) } : undefined;
}

/** The backend may have stored the value as it is, and then a `%` in it is no code. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** An error with the members of the problem that the API sends (RFC 9457). */
export interface Problem extends Error {
  /** 0 if there is no response. */
  status: number;
  code: string | undefined;
  errors: Partial<Violation>[];
  isOutage: boolean;
  /** Whether the change may have been saved. */
  isUnclear?: boolean;
}

/** The API itself gives up after a few seconds. After this time, the server or the network does not work. */
const maxWaitMs = 30_000;

/** @throws Problem */
async function send<Value>(method: string, path: string, content?: object, etag?: string): Promise<Value> {
  const headers: HeadersInit = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(method !== 'GET' && csrfHeader()),
    ...(etag && { 'if-match': etag }),
  };
  const body = content && new Blob([JSON.stringify(content)], { type: 'application/json' });
  // With `no-cache`, the browser sends If-None-Match by itself. Some backends redirect to their login page.
  const how: RequestInit = {
    cache: 'no-cache',
    redirect: 'manual',
    credentials: settings.login === 'bearer' ? 'omit' : 'same-origin',
  };
  const signal = AbortSignal.timeout(maxWaitMs);
  const [response, text] = await fetch(path, { method, headers, body, signal, ...how })
    .then(async (answer) => [answer, await answer.text()] as const)
    .catch(() => [Response.error(), ''] as const);
  // A DELETE has no body. What is not JSON does not come from the API.
  const result = await Promise.resolve(text || '{}')
    .then(JSON.parse)
    .catch(() => undefined);
  // Lists, trees and histories have an array in `data`. An envelope of the backend has the value in one of its fields.
  const isValue = (each: { data?: unknown; method_code?: unknown } | null): unknown =>
    method === 'GET' ? Array.isArray(each?.data) : each?.method_code || method === 'DELETE';
  const value = result && [result, ...Object.values(result)].find(isValue);
  if (response.ok && value) return value;
  // A gateway may send a page of its own, or the backend an envelope of its own, with any status of success.
  const status = response.type === 'opaqueredirect' ? 401 : response.status;
  const problem = response.ok ? problemOf(200, {}) : problemOf(status, result ?? {});
  const isRefused = status === 429 || problem.code === 'database_unavailable';
  const isUnclear = method !== 'GET' && (response.ok || (problem.isOutage && !isRefused));
  throw Object.assign(problem, { isUnclear });
}

/** Returns what the user reads about a change that has failed, with each violation on a line. */
export function reasonOf({ message, errors, isUnclear }: Problem): string {
  const lines = errors.map(
    ({ pointer, parameter, header, detail }) => `${pointer ?? parameter ?? header ?? ''} ${detail ?? ''}`,
  );
  return [isUnclear ? `${message} ${t('perhaps_saved')}` : message, ...lines].join('\n');
}
export const failureOf = (problem: Problem): string | undefined =>
  problem.isUnclear ? reasonOf(problem) : t('not_saved', { reason: reasonOf(problem) });

/**
 * A filter of the backend may send another form than problem details. Then the status says what has happened, or the
 * message of Nest's form, which is a text or a list of texts.
 */
function problemOf(
  status: number,
  result: { code?: string; detail?: string; message?: unknown; errors?: unknown },
): Problem {
  const code = result.code ?? (status === 412 ? 'version_mismatch' : undefined);
  const values = { ...result, status, project: projectId };
  const texts = [status < 500 ? result.message : undefined].flat().filter((each) => typeof each === 'string');
  const message =
    t(`problem_${code}`, values) ??
    t(`status_${status}`, values) ??
    result.detail ??
    (texts.join(' ') || t('status_other', values));
  const errors = Array.isArray(result.errors) ? result.errors.map(Object) : [];
  const isOutage = status === 0 || status === 429 || status >= 500;
  return Object.assign(new Error(), { ...result, message, code, errors, status, isOutage });
}

const read = <Value>(path: string): Promise<Value> => send('GET', path);
export const tree = async (project = projectId): Promise<readonly ShippingMethodTreeCarrier[]> =>
  (await read<ShippingMethodTree>(`${methodsOf(project)}/tree`)).data;
/** The API has no route that reads one method, so this reads a list of one. */
export const find = async (id: string): Promise<ShippingMethodDto | undefined> =>
  (await read<ShippingMethodPage>(`${methods}?${new URLSearchParams({ 'filter[id]': id })}`)).data[0];
export const create = (body: UpsertShippingMethodRequest): Promise<ShippingMethodDto> =>
  send('POST', methods, body);
export const remove = ({ id, etag }: ShippingMethodDto): Promise<object> =>
  send('DELETE', `${methods}/${id}`, undefined, etag);

/**
 * The two codes and the label are required. Because of the etag, the API refuses the update if the method has
 * changed.
 */
export function update(method: ShippingMethodDto, changes: ShippingMethodPatch): Promise<ShippingMethodDto> {
  const { id, etag, carrier_code, method_code, method_label } = method;
  return send('PATCH', `${methods}/${id}`, { carrier_code, method_code, method_label, ...changes }, etag);
}

/** Returns the whole history of an order, with the oldest event first. */
export const events = async (order: string): Promise<readonly OrderEventDto[]> =>
  (await read<{ data: OrderEventDto[] }>(`${orders}/${encodeURIComponent(order)}/events`)).data;
