// Reads and renders projects as the services do, and sends its parent the bytes that each method takes.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [kind, folder, url, ...names] = process.argv.slice(2);
const library = `${folder}/node_modules/nestjs-shipping/dist/esm/`;
const part = (file) => import(pathToFileURL(`${library}${file}.js`).href);
const { DataSource } = createRequire(`${folder}/main.js`)('typeorm');
const { shippingEntities } = await part('index');
const { setsOf } = await part('shipping-methods/store/method-rows');
const { MethodView } = await part('shipping-methods/method-view');
const { ViewCache } = await part('shipping-methods/store/view-cache');
const { pageJson, treeJson } = await part('shipping-methods/rendering');

const dataSource = await new DataSource({ type: 'postgres', url, entities: shippingEntities }).initialize();
const runner = dataSource.createQueryRunner();
const cache = new ViewCache(undefined, undefined, 2 ** 30);
const render = {
  rows: () => undefined,
  searched: (view) => view.page({ page: 1, perPage: 20, words: ['nothing'], groups: [] }),
  list: (view) =>
    cache.body(view, '?page=1&per_page=20', () =>
      pageJson(view, { page: 1, perPage: 20, words: [], groups: [] }),
    ),
  tree: (view) => cache.body(view, 'tree', () => treeJson(view)),
}[kind];

async function fill(name) {
  const [set] = await setsOf(runner.manager, [name]);
  const view = MethodView.of(set);
  cache.put(view);
  render(view);
}

function used() {
  for (let time = 0; time < 4; time++) global.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { views: heapUsed, bodies: arrayBuffers };
}

// The first projects make Node compile the code, and make the driver allocate its buffers.
const warm = names.splice(0, 50);
for (const name of warm) await fill(name);
const before = used();
const countedBefore = counted();
for (const name of names) await fill(name);
const after = used();
const methods = names.length * 50;
const share = (key, from, to) => (to[key] - from[key]) / methods;
const both = (from, to) => ({ views: share('views', from, to), bodies: share('bodies', from, to) });
process.send({ ...both(before, after), counted: both(countedBefore, counted()) });

/** Returns the bytes that the two LRU caches count. */
function counted() {
  return { views: cache.views.calculatedSize, bodies: cache.bodies.calculatedSize };
}
