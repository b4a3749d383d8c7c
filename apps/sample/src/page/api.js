/** The six routes and the order desk, as the page calls them. */

/** What the API answers instead of a result (RFC 9457). Status 0: nobody answered. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? (status === 0 ? 'The server does not answer.' : `The server answered ${status}.`));
    Object.assign(this, { errors: [], ...body, status });
  }
  get isRefused() {
    return this.status === 401 || this.status === 403;
  }
  get isOutage() {
    return this.status === 0 || this.status >= 500;
  }
}

/** The key lives as long as the tab. */
export const key = {
  get: () => sessionStorage.getItem('api-key'),
  set: (text) => (text ? sessionStorage.setItem('api-key', text) : sessionStorage.removeItem('api-key')),
};

async function send(method, path, { body, etag } = {}) {
  const headers = {
    ...(key.get() && { authorization: `Bearer ${key.get()}` }),
    ...(body && { 'content-type': 'application/json' }),
    ...(etag && { 'if-match': etag }),
  };
  // `omit`: the browser would ask for a password itself. `no-cache`: it sends If-None-Match by itself.
  const options = { method, headers, credentials: 'omit', cache: 'no-cache', body: body && JSON.stringify(body) };
  const answer = await fetch(path, options).catch(() => ({ status: 0 }));
  const content = answer.status === 204 ? undefined : await answer.json?.().catch(() => undefined);
  if (!answer.ok) throw new Problem(answer.status, content);
  return content;
}

export function project(id) {
  const base = `/api/projects/${encodeURIComponent(id)}`;
  const methods = `${base}/sales/orders/shipments/methods`;
  return {
    tree: async () => (await send('GET', `${methods}/tree`)).data,
    list: (query) => send('GET', `${methods}?${new URLSearchParams(query)}`),
    /** A method has no route to read it alone. */
    find: async (methodId) => (await send('GET', `${methods}?filter[id]=${methodId}`)).data[0],
    create: (body) => send('POST', methods, { body }),
    /** The codes and the label are required. The etag refuses the update if the method has changed. */
    update: ({ id: methodId, etag, carrier_code, method_code, method_label }, changes) =>
      send('PATCH', `${methods}/${methodId}`, { etag, body: { carrier_code, method_code, method_label, ...changes } }),
    remove: ({ id: methodId, etag }) => send('DELETE', `${methods}/${methodId}`, { etag }),
    events: async (order) => (await send('GET', `${base}/sales/orders/${encodeURIComponent(order)}/events`)).data,
    placeOrder: (body) => send('POST', `${base}/desk/orders`, { body }),
  };
}

/** @returns a function that reads and shows: the last call wins, and an outage is tried again every 3 s */
export function reader(read, show) {
  let [turn, timer] = [0, 0];
  async function load() {
    load.stop();
    const mine = turn;
    const result = await read().catch((problem) => ({ problem }));
    if (mine !== turn) return;
    show({ problem: undefined, ...result });
    if (result.problem?.isOutage) timer = setTimeout(load, 3_000);
  }
  load.stop = () => {
    turn++;
    clearTimeout(timer);
  };
  return load;
}
