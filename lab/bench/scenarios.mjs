import * as data from './data/catalogue.mjs';

/** The shops that are busy now. Their checkouts read the same lists again and again. */
export const busyShops = 100;

const busy = (number) => data.shop(number % busyShops);
const orders = (project) => `/api/projects/${project}/sales/orders`;
const methods = (project) => `${orders(project)}/shipments/methods`;
const list = (project, page = 1, perPage = 20) => ({
  path: `${methods(project)}?page=${page}&per_page=${perPage}`,
});
const tree = (project) => ({ path: `${methods(project)}/tree` });
const pages = data.methodsPerShop / 20;

/** Each request is a function of its number. A request that writes also depends on the contender. */
export const scenarios = {
  list20: {
    title: 'list of 20, warm, 64 connections',
    connections: 64,
    request: (number) => list(busy(number)),
  },
  list20few: {
    title: 'list of 20, warm, 4 connections',
    connections: 4,
    request: (number) => list(busy(number)),
  },
  tree: { title: 'tree of 100, warm', connections: 64, request: (number) => tree(busy(number)) },
  search: {
    title: 'list with `q` and a filter that change, warm',
    connections: 64,
    request: (number) => searched(busy(number), Math.floor(number / busyShops)),
  },
  // These read all shops in turn, so that none is still in the cache when it is read again.
  list20coldSmall: {
    title: 'list of 20, cold, shops of 20',
    connections: 16,
    request: (number) => list(data.smallShop(number % data.smallShops)),
  },
  list20cold: {
    title: 'list of 20, cold, shops of 100',
    connections: 16,
    request: (number) => list(data.shop(number % data.shops), (Math.floor(number / data.shops) % pages) + 1),
  },
  treeCold: {
    title: 'tree, cold, shops of 100',
    connections: 16,
    request: (number) => tree(data.shop(number % data.shops)),
  },
  events: {
    title: 'events of an order (20)',
    connections: 16,
    request: (number) => ({
      path: `${orders(data.shop(number % data.shops))}/${data.order(Math.floor(number / data.shops) % data.ordersPerShop)}/events`,
    }),
  },
  createFew: {
    title: 'create, 4 connections, many projects',
    connections: 4,
    request: (number, contender) => create(data.created(contender, number), number),
  },
  create: {
    title: 'create, 16 connections, many projects',
    connections: 16,
    request: (number, contender) => create(data.created(contender, number), number + 5_000_000),
  },
  createOne: {
    title: 'create, 32 connections, one project',
    connections: 32,
    // A project holds at most 1,000 methods, so every 900 requests go to another project.
    request: (number, contender) => create(`${contender}-one-${Math.floor(number / 900)}`, number),
  },
  updateFew: {
    title: 'update, 4 connections, many projects',
    connections: 4,
    request: (number, contender) => update(contender, number, 100_000),
  },
  update: {
    title: 'update, 16 connections, many projects',
    connections: 16,
    request: (number, contender) => update(contender, number, 200_000),
  },
};

/** Returns a request of a scenario, in the form of the contender. */
export function requestOf(contender, scenario, number) {
  const request = scenarios[scenario].request(number, contender);
  if (contender === 'paginate') request.path = request.path.replace('per_page=', 'limit=');
  return request;
}

/** Parts of words that are in the codes and labels of some methods: `ex`, `exp`, `expr`, … */
const words = [
  ...new Set(
    data.catalogue
      .flatMap(({ carrier_code, method_code }) => `${carrier_code}_${method_code}`.split('_'))
      .flatMap((word) => [2, 3, 4, 5, 6].map((length) => word.slice(0, length))),
  ),
];

/** Returns a search. The same search of a shop is repeated only after hundreds of others. */
function searched(project, number) {
  const perPage = 20 + (Math.floor(number / words.length) % 50);
  const { path } = list(project, 1, perPage);
  return { path: `${path}&q=${words[number % words.length]}&filter[is_active]=true` };
}

function create(project, number) {
  const { carrier_code, carrier_label, method_label, meta } = data.catalogue[number % data.catalogue.length];
  const method_code = `service-${number}`;
  const body = { carrier_code, carrier_label, method_code, method_label, sort_order: number % 1000, meta };
  return { method: 'POST', path: methods(project), body: JSON.stringify(body) };
}

function update(contender, number, sortOrders) {
  const index = Math.floor(number / data.updatedShops) % data.methodsPerShop;
  const { id, carrier_code, method_code, method_label } = data.method(number % data.updatedShops, index);
  const body = { carrier_code, method_code, method_label, sort_order: number + sortOrders };
  return {
    method: 'PATCH',
    path: `${methods(data.updated(contender, number))}/${id}`,
    body: JSON.stringify(body),
  };
}
