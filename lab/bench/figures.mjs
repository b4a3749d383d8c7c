import { median, ratioRow } from './report/rows.mjs';
import { scenarios } from './scenarios.mjs';

/**
 * For each scenario, the rivals, and our goal as a multiple of the rate of the rival. Undefined means that there is no
 * goal. `bare` is Fastify and the driver, `naive` is Nest, Fastify and TypeORM, and `express` is the same on Express.
 */
const figures = {
  postgres: {
    list20: { bare: 5.5, naive: 9, express: undefined },
    list20few: { bare: 2.4, naive: 4, paginate: 7 },
    tree: { bare: 13, naive: 40 },
    search: { bare: 1.2, naive: 3 },
    list20coldSmall: { bare: 0.75, naive: 1.2 },
    list20cold: { bare: 0.4, naive: undefined },
    treeCold: { bare: 0.6, naive: 1.5 },
    events: { bare: 0.9, naive: 1.5 },
    createFew: { bare: undefined, naive: 1.2 },
    create: { bare: undefined, naive: 1.2 },
    createOne: { bare: undefined, naive: 0.3 },
    updateFew: { bare: undefined, naive: 1.2 },
    update: { bare: undefined, naive: 1.2 },
  },
  mariadb: {
    list20: { bare: 4, naive: 8 },
    list20coldSmall: { bare: 0.6, naive: 1.1 },
    create: { bare: undefined, naive: 1 },
  },
};

/** The goals for the p99, as a multiple of the p99 of `bare`. Lower is better. */
const p99Goals = { list20: 0.3, tree: 0.15 };

/**
 * Returns the rivals of the scenarios to measure. @param words the beginnings of their names; none means all scenarios
 */
export function wantedFigures(engine, words, against) {
  const wanted = Object.entries(figures[against ? 'postgres' : engine]).filter(
    ([scenario]) => words.length === 0 || words.some((word) => scenario.startsWith(word)),
  );
  return Object.fromEntries(
    wanted.map(([scenario, goals]) => [scenario, against ? { before: undefined } : goals]),
  );
}

/** Makes one ratio in each round, so that a slow phase of the machine affects both sides. */
export function rowsOf(scenario, goals, rounds) {
  const { title } = scenarios[scenario];
  const ratios = (rival, key) => rounds.map((round) => round.ours[key] / round[rival][key]);
  const rows = Object.entries(goals).map(([rival, goal]) =>
    ratioRow({
      title,
      rival,
      ratios: ratios(rival, 'rate'),
      atLeast: goal,
      cpu: median(ratios(rival, 'cpu').map((ratio) => 1 / ratio)),
      server: median(ratios(rival, 'serverCpu').map((ratio) => 1 / ratio)),
    }),
  );
  const atMost = p99Goals[scenario];
  if (atMost && goals.bare)
    rows.push(ratioRow({ title: `p99 of ${title}`, rival: 'bare', ratios: ratios('bare', 'p99'), atMost }));
  return rows;
}
