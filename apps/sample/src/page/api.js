/** The six routes and the order desk, for the project in the address of the page. */

export const projectId = new URLSearchParams(location.search).get('project') || 'demo';
const project = `/api/projects/${encodeURIComponent(projectId)}`;
const methods = `${project}/sales/orders/shipments/methods`;

/** It lives as long as the tab. */
export const apiKey = sessionStorage.getItem('api-key');

/** @throws an Error with the members of the problem that the API answers (RFC 9457); status 0: nobody answers */
async function send(method, path, body, etag) {
  const headers = {
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...(body && { 'content-type': 'application/json' }),
    ...(etag && { 'if-match': etag }),
  };
  // `omit`: the browser would ask for a password itself. `no-cache`: it sends If-None-Match by itself.
  const options = { method, headers, credentials: 'omit', cache: 'no-cache', body: body && JSON.stringify(body) };
  const answer = await fetch(path, options).catch(() => Response.error());
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) return content;
  const { status } = answer;
  const message = status === 0 ? 'The server does not answer.' : `The server answered ${status}.`;
  const isOutage = status === 0 || status >= 500;
  throw Object.assign(new Error(content.detail ?? message), { errors: [], ...content, status, isOutage });
}

export const tree = async () => (await send('GET', `${methods}/tree`)).data;
export const list = (query) => send('GET', `${methods}?${new URLSearchParams(query)}`);
/** A method has no route to read it alone. */
export const find = async (id) => (await list({ 'filter[id]': id })).data[0];
export const create = (body) => send('POST', methods, body);
export const remove = ({ id, etag }) => send('DELETE', `${methods}/${id}`, undefined, etag);

/** The codes and the label are required. The etag refuses the update if the method has changed. */
export function update(method, changes) {
  const { id, etag, carrier_code, method_code, method_label } = { ...method, ...method.own };
  return send('PATCH', `${methods}/${id}`, { carrier_code, method_code, method_label, ...changes }, etag);
}

export const placeOrder = (body) => send('POST', `${project}/desk/orders`, body);
export async function events(order) {
  return (await send('GET', `${project}/sales/orders/${encodeURIComponent(order)}/events`)).data;
}

/** @returns a function that reads into the state of a component. The last call wins; an outage is tried again every 3 s */
export function reader(component, read) {
  let turn = 0;
  let timer;
  return async function load() {
    clearTimeout(timer);
    const mine = ++turn;
    const result = await read().catch((problem) => ({ problem }));
    if (mine !== turn) return;
    const { status, isOutage } = result.problem ?? {};
    if (status === 401 || status === 403) return component.props.refuse(status);
    component.setState({ problem: undefined, ...result });
    if (isOutage) timer = setTimeout(load, 3_000);
  };
}
