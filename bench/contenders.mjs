import { fileURLToPath } from 'node:url';
import { shop } from './data/catalogue.mjs';
import { platforms } from './peers/platforms.mjs';
import { serve } from './processes.mjs';
import { copySample, sampleFolder } from './sample.mjs';
import { scenarios } from './scenarios.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The measured programs. Each serves on PORT from DATABASE_URL. `translate` turns our requests into its own form. */
export const contenders = {
  ours: { title: 'nestjs-shipping', program: `${sampleFolder}/main.js`, env: { DEMO: 'false' } },
  bare: { title: 'Fastify + pg, by hand', program: here('rivals/bare.mjs') },
  kept: {
    title: 'Fastify + pg, with the kept total',
    program: here('rivals/bare.mjs'),
    env: { KEPT_TOTAL: 'true' },
  },
  naive: { title: 'Nest + Express + TypeORM, by hand', program: here('rivals/dist/naive.js') },
  paginate: {
    title: 'nestjs-paginate',
    program: here('rivals/dist/paginate.js'),
    translate: ({ path }) => ({ path: path.replace('per_page=', 'limit=') }),
  },
  limit: { title: 'node:http, the same look-up and bytes', program: here('rivals/limit.mjs') },
  ...platforms,
};

/** Makes the contenders those of another engine. */
export function addEngine({ rivals = {} }) {
  for (const [name, rival] of Object.entries(rivals)) contenders[name] = { ...contenders[name], ...rival };
}

/** Makes the built sample of another checkout a contender. */
export function addCheckout(checkout) {
  const folder = `${sampleFolder}-before`;
  copySample(folder, checkout);
  const program = contenders.ours.program.replace(sampleFolder, folder);
  contenders.before = { ...contenders.ours, title: `the checkout ${checkout}`, program };
}

/** Request `number` of a scenario, in the form of the contender. */
export function requestOf(name, scenario, number, size) {
  const request = scenarios[scenario].request(number, size, name);
  // The load generator, a process of its own, does not know another checkout.
  return contenders[name]?.translate?.(request) ?? request;
}

/** @returns the contender's name, port, origin and processes when it answers */
export async function start(name, { database, origin, ...options }) {
  const { program, env, cwd = here('..') } = contenders[name];
  const served = await serve(program, {
    cwd,
    env: { ...env, DATABASE_URL: database.url, ...(origin && { ORIGIN: origin }) },
    path: `/api/projects/${shop(0)}/sales/orders/shipments/methods?page=1&per_page=20&limit=20`,
    ...options,
  });
  return { name, ...served, pids: [served.child.pid, ...(database.isInProcess ? [] : [database.pid])] };
}
