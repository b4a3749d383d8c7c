import { identifierPattern } from '../../validation/text.js';
import { root, settings, t } from './settings.js';

/** Any other text, such as `..`, would lead to another address. */
export const isId = (text) => identifierPattern.test(text);

/** The parameters of the address: `project`, and perhaps `order` with `kind`, and filters. */
export const address = new URLSearchParams(location.search);

/** Changes the address, so that the user can load the page again, or send a link to it. */
export function putIntoAddress(values) {
  for (const [name, value] of Object.entries(values)) {
    if (value) address.set(name, value);
    else address.delete(name);
  }
  history.replaceState(null, '', `?${address}`);
}

export const projectId = address.get('project') ?? settings.projects?.[0]?.id ?? '';
/** Whether this is the project whose methods are the defaults of the others. */
export const isDefaults = projectId === settings.defaults;

const ordersOf = (project) => new URL(settings.routes.replace('{project}', encodeURIComponent(project)), root).href;
const methodsOf = (project) => `${ordersOf(project)}/shipments/methods`;
const orders = ordersOf(projectId);
const methods = methodsOf(projectId);

const tokenName = `nestjs-shipping ${root.pathname}`;
export const keepToken = (text) => sessionStorage.setItem(tokenName, text.trim().replace(/^Bearer\s+/i, ''));
/** The admin of the backend may hand the token over in the fragment, which browsers send to no server. */
const [, handedOver] = /^#token=(.+)$/.exec(location.hash) ?? [];
if (settings.login === 'bearer' && handedOver) {
  history.replaceState(null, '', location.pathname + location.search);
  keepToken(decoded(handedOver));
}
/** The token is kept as long as the tab is open. */
export const token = settings.login === 'bearer' ? sessionStorage.getItem(tokenName) : null;

function csrfHeader() {
  const { cookie, header } = settings.csrf ?? {};
  const pairs = document.cookie.split('; ').map((pair) => pair.split(/=(.*)/));
  const [, value] = pairs.find(([name]) => name === cookie) ?? [];
  return value && { [header]: decoded(value) };
}

/** The backend may have stored the value as it is, and then a `%` in it is no code. */
function decoded(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * @throws an Error with the members of the problem that the API sends (RFC 9457); its status is 0 if there is no
 *   response
 */
async function send(method, path, content, etag) {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(method !== 'GET' && csrfHeader()),
    ...(etag && { 'if-match': etag }),
  };
  const body = content && new Blob([JSON.stringify(content)], { type: 'application/json' });
  // With `no-cache`, the browser sends If-None-Match by itself. Some backends redirect to their login page.
  const how = {
    cache: 'no-cache',
    redirect: 'manual',
    credentials: settings.login === 'bearer' ? 'omit' : 'same-origin',
  };
  const response = await fetch(path, { method, headers, body, ...how }).catch(() => Response.error());
  // A DELETE has no body. What is not JSON does not come from the API.
  const result = await response
    .text()
    .then((text) => JSON.parse(text || '{}'))
    .catch(() => undefined);
  // Lists, trees and histories have an array in `data`. An envelope of the backend has the value in one of its fields.
  const isValue = (each) => (method === 'GET' ? Array.isArray(each?.data) : each?.id || method === 'DELETE');
  const value = result && [result, ...Object.values(result)].find(isValue);
  if (response.ok && value) return value;
  // A gateway may send a page of its own, or the backend an envelope of its own, with any status of success.
  const status = response.ok ? 200 : response.status;
  const problem = problemOf(response.type === 'opaqueredirect' ? 401 : status, response.ok ? {} : (result ?? {}));
  const isUnclear = method !== 'GET' && (response.ok || (problem.isOutage && problem.code !== 'database_unavailable'));
  throw isUnclear ? Object.assign(problem, { isUnclear, message: `${problem.message} ${t('perhaps_saved')}` }) : problem;
}

/** Returns what the user reads about a change that has failed, with each violation on a line. */
export function reasonOf({ message, errors }) {
  const lines = errors.map(({ pointer, parameter, header, detail }) => `${pointer ?? parameter ?? header ?? ''} ${detail ?? ''}`);
  return [message, ...lines].join('\n');
}
export const failureOf = (problem) => (problem.isUnclear ? reasonOf(problem) : t('not_saved', { reason: reasonOf(problem) }));

/** A filter of the backend may send another form than problem details. Then the status says what has happened. */
function problemOf(status, result) {
  const code = result.code ?? (status === 412 ? 'version_mismatch' : undefined);
  const values = { ...result, status, project: projectId };
  const message = t(`problem_${code}`, values) ?? t(`status_${status}`, values) ?? result.detail ?? t('status_other', values);
  const errors = Array.isArray(result.errors) ? result.errors.map(Object) : [];
  const isOutage = status === 0 || status >= 500;
  return Object.assign(new Error(), { ...result, message, code, errors, status, isOutage });
}

const read = (path) => send('GET', path);
export const tree = async (project = projectId) => (await read(`${methodsOf(project)}/tree`)).data;
/** The API has no route that reads one method, so this reads a list of one. */
export const find = async (id) => (await read(`${methods}?${new URLSearchParams({ 'filter[id]': id })}`)).data[0];
export const create = (body) => send('POST', methods, body);
export const remove = ({ id, etag }) => send('DELETE', `${methods}/${id}`, undefined, etag);

/**
 * The two codes and the label are required. Because of the etag, the API refuses the update if the method has
 * changed.
 */
export function update(method, changes) {
  const { id, etag, carrier_code, method_code, method_label } = method;
  return send('PATCH', `${methods}/${id}`, { carrier_code, method_code, method_label, ...changes }, etag);
}

/** Returns the whole history of an order, with the oldest event first. */
export const events = async (order) => (await read(`${orders}/${encodeURIComponent(order)}/events`)).data;
