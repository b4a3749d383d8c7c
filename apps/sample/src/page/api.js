/** The six routes and the order desk, for the project in the address of the page. */

export const projectId = new URLSearchParams(location.search).get('project') || 'demo';
const project = `/api/projects/${encodeURIComponent(projectId)}`;
const methods = `${project}/sales/orders/shipments/methods`;

/** The key is kept as long as the tab is open. */
export const apiKey = sessionStorage.getItem('api-key');

/**
 * @throws an Error with the members of the problem that the API answers (RFC 9457); its status is 0 if nobody
 *   answers
 */
async function send(method, path, content, more) {
  const headers = { ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...more };
  const body = content && new Blob([JSON.stringify(content)], { type: 'application/json' });
  // Without `omit`, the browser would ask for a password itself. With `no-cache`, it sends If-None-Match by itself.
  const options = { method, headers, body, credentials: 'omit', cache: 'no-cache' };
  const answer = await fetch(path, options).catch(() => Response.error());
  const { ok, status } = answer;
  const result = await answer.json().catch(() => ({}));
  if (ok) return result;
  const message = status === 0 ? 'The server does not answer.' : `The server answered ${status}.`;
  const isOutage = status === 0 || status >= 500;
  throw Object.assign(new Error(result.detail ?? message), { errors: [], ...result, status, isOutage });
}

export const tree = async () => (await send('GET', `${methods}/tree`)).data;
export const list = (query) => send('GET', `${methods}?${new URLSearchParams(query)}`);
/** The API has no route that reads one method, so this reads a list of one. */
export const find = async (id) => (await list({ 'filter[id]': id })).data[0];
export const create = (body) => send('POST', methods, body);
export const remove = ({ id, etag }) => send('DELETE', `${methods}/${id}`, undefined, { 'if-match': etag });

/**
 * The two codes and the label are required. Because of the etag, the API refuses the update if the method has
 * changed.
 */
export function update(method, changes) {
  const { id, etag, carrier_code, method_code, method_label } = { ...method, ...method.own };
  return send('PATCH', `${methods}/${id}`, { carrier_code, method_code, method_label, ...changes }, { 'if-match': etag });
}

const desk = `${project}/desk`;
const orderPath = (id) => `${desk}/orders/${encodeURIComponent(id)}`;
/**
 * Returns a key for one form, so that a second click does not send a second order or note. `randomUUID` would need
 * HTTPS.
 */
export const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
export const events = (id, query) => send('GET', `${orderPath(id)}/events?${new URLSearchParams(query)}`);
export const eventTypes = async () => (await send('GET', `${desk}/event-types`)).data;
export const addNote = (id, body, key) => send('POST', `${orderPath(id)}/notes`, body, { 'idempotency-key': key });
export const adoptDefaults = () => send('POST', `${desk}/defaults`);
export const placeOrder = (body, key) => send('POST', `${desk}/orders`, body, { 'idempotency-key': key });
