// Reads and renders projects as the services do, and sends its parent the bytes that each method takes.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [kind, folder, url, ...names] = process.argv.slice(2);
const library = `${folder}/node_modules/nestjs-shipping/dist/esm/`;
const part = (file) => import(pathToFileURL(`${library}${file}.js`).href);
const { DataSource } = createRequire(`${folder}/ours.mjs`)('typeorm');
const { shippingEntities } = await part('index');
const { setsOf } = await part('shipping-methods/store/method-rows');
const { MethodView } = await part('shipping-methods/method-view');
const { ViewCache } = await part('shipping-methods/store/view-cache');
const { renderPage, renderTree } = await part('shipping-methods/rendering');

const dataSource = await new DataSource({ type: 'postgres', url, entities: shippingEntities }).initialize();
const runner = dataSource.createQueryRunner();
const cache = new ViewCache(undefined, undefined, 2 ** 30);
const render = {
  rows: () => undefined,
  searched: (view) => renderPage(view, { page: 1, perPage: 20, words: ['nothing'], groups: [] }),
  list: (view) =>
    cache.rendering(view, 'list', () => renderPage(view, { page: 1, perPage: 20, words: [], groups: [] })),
  tree: (view) => cache.rendering(view, 'tree', () => renderTree(view)),
}[kind];

async function fill(name) {
  const [set] = await setsOf(runner.manager, [name]);
  const view = new MethodView(set);
  cache.put(view);
  render(view);
}

function used() {
  for (let time = 0; time < 4; time++) global.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

// The first projects make Node compile the code, and make the driver allocate its buffers.
const warm = names.splice(0, 50);
for (const name of warm) await fill(name);
const before = used();
const countedBefore = cache.stats().bytes;
for (const name of names) await fill(name);
const methods = names.length * 50;
process.send({
  bytes: (used() - before) / methods,
  counted: (cache.stats().bytes - countedBefore) / methods,
});
