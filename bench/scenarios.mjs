import * as data from './data/catalogue.mjs';

/** The shops that are busy now. Their checkouts read the same lists again and again. */
const busyShops = 100;

const pages = data.methodsPerProject / 20;

export const orders = (project) => `/api/projects/${project}/sales/orders`;
const methods = (project) => `${orders(project)}/shipments/methods`;
const page = (project, number, perPage) => ({
  path: `${methods(project)}?page=${number}&per_page=${perPage}`,
});
export const listed = (project) => page(project, 1, 20).path;
const tree = (project) => ({ path: `${methods(project)}/tree` });

/** Each request is a function of its number, of the stored data (`size`), and in writes of the contender. */
export const scenarios = {
  list20: {
    title: 'list of 20, warm',
    connections: 16,
    request: (number) => page(data.shop(number % busyShops), 1, 20),
  },
  list20busy: {
    title: 'list of 20, warm, 64 connections',
    connections: 64,
    request: (number) => page(data.shop(number % busyShops), 1, 20),
  },
  list100: {
    title: 'list of 100, warm',
    connections: 16,
    request: (number) => page(data.shop(number % busyShops), 1, 100),
  },
  tree: {
    title: 'tree of 100, warm',
    connections: 16,
    request: (number) => tree(data.shop(number % busyShops)),
  },
  list20few: {
    title: 'list of 20, warm, 4 connections',
    connections: 4,
    request: (number) => page(data.shop(number % busyShops), 1, 20),
  },
  // Every shop's first page, then every shop's second page, …, so that no page is still cached when it is read again.
  list20cold: {
    title: 'list of 20, cold',
    connections: 16,
    request: (number, { shops }) =>
      page(data.shop(number % shops), (Math.floor(number / shops) % pages) + 1, 20),
  },
  treeCold: {
    title: 'tree of 100, cold',
    connections: 16,
    request: (number, { shops }) => tree(data.shop(number % shops)),
  },
  events: {
    title: 'events of an order',
    connections: 16,
    request: (number, { shops, ordersPerShop }) => ({
      path: `${orders(data.shop(number % shops))}/${data.order(Math.floor(number / shops) % ordersPerShop)}/events`,
    }),
  },
  // All queries are different. Half of them find almost nothing, and half of them a whole page.
  distinct: {
    title: 'list, all queries different',
    connections: 16,
    request: (number, { shops }) => ({
      path: `${listed(data.shop(number % shops))}&${number % 2 === 0 ? 'q' : 'visit'}=${number}`,
    }),
  },
  createMany: {
    title: 'create, 64 connections, many projects',
    connections: 64,
    request: (number, _size, contender) => create(data.createdIn(contender, 'new', number), number),
  },
  createOne: {
    title: 'create, 32 connections, one project',
    connections: 32,
    request: (number, _size, contender) => create(`${contender}-one-${Math.floor(number / 9_000)}`, number),
  },
  createFew: {
    title: 'create, 4 connections, many projects',
    connections: 4,
    request: (number, _size, contender) => create(data.createdIn(contender, 'few', number), number),
  },
  update: {
    title: 'update, 16 connections',
    connections: 16,
    request: (number, { writers }, contender) => update(contender, writers.indexOf(contender), number),
  },
};

function create(project, number) {
  const { carrier_code, carrier_label, method_label, meta } = data.catalogue[number % data.catalogue.length];
  const method_code = `service-${number}`;
  const body = { carrier_code, carrier_label, method_code, method_label, sort_order: number % 1000, meta };
  return { method: 'POST', path: methods(project), body: JSON.stringify(body) };
}

function update(contender, writer, number) {
  const project = number % data.projectsWritten;
  const index = Math.floor(number / data.projectsWritten) % data.methodsPerProject;
  const { id, ...method } = data.method(data.firstWritten + writer * data.projectsWritten + project, index);
  return {
    method: 'PATCH',
    path: `${methods(data.written(contender, project))}/${id}`,
    body: JSON.stringify({ ...method, sort_order: number + 100_000 }),
  };
}
