import { contenders } from './contenders.mjs';
import { median, ratioRow } from './report/rows.mjs';
import { scenarios } from './scenarios.mjs';

/** Each compares ours with a rival in one scenario. The goal is a ratio: at least for rates, at most for p99. */
const postgresFigures = [
  { id: 'list20', scenario: 'list20', goal: 7 },
  { id: 'list20cold', scenario: 'list20cold', goal: 1.2 },
  { id: 'list20kept', scenario: 'list20cold', rival: 'kept' },
  { id: 'list100', scenario: 'list100', goal: 9 },
  { id: 'tree', scenario: 'tree', goal: 9 },
  { id: 'treeCold', scenario: 'treeCold', goal: 1 },
  { id: 'list20few', scenario: 'list20few', goal: 5 },
  { id: 'events', scenario: 'events', goal: 1.5 },
  { id: 'createMany', scenario: 'createMany', goal: 1.2 },
  { id: 'createOne', scenario: 'createOne', goal: 1 },
  { id: 'createFew', scenario: 'createFew', goal: 0.9 },
  { id: 'update', scenario: 'update', goal: 0.9 },
  { id: 'list20p99', scenario: 'list20', measure: 'p99', goal: 0.5 },
  { id: 'treeP99', scenario: 'tree', measure: 'p99', goal: 0.5 },
  { id: 'limit', scenario: 'list20', rival: 'limit', goal: 0.65 },
  { id: 'paginate', scenario: 'list20few', rival: 'paginate', goal: 12 },
].map(withDefaults);

/** On the other engines: each scenario against the bare rival with a goal, and against TypeORM by hand. */
function figuresOn(goals) {
  return Object.entries(goals).flatMap(([scenario, goal]) => [
    withDefaults({ id: scenario, scenario, goal }),
    withDefaults({ id: `${scenario}Naive`, scenario, rival: 'naive', goal: 1 }),
  ]);
}

function withDefaults(figure) {
  return { rival: 'bare', measure: 'rate', ...figure };
}

export const mariadbFigures = figuresOn({
  list20busy: 4,
  list20: undefined,
  list20cold: 0.8,
  treeCold: 0.8,
  events: undefined,
  createMany: 0.7,
  createFew: 0.7,
  update: 0.7,
});

export const sqliteFigures = figuresOn({
  list20busy: 2,
  list20: 2,
  list20cold: 0.8,
  treeCold: 0.8,
  events: undefined,
  createMany: 0.7,
  createFew: 0.7,
  update: 0.7,
});

/** The figures whose name begins with one of the words, or all figures when there are no words. */
export function chosen(words, figures = postgresFigures) {
  if (words.length === 0) return figures;
  const wanted = figures.filter(({ id }) => words.some((word) => id.startsWith(word)));
  if (wanted.length > 0) return wanted;
  throw new Error(
    `--only ${words}: choose among ${figures.map(({ id }) => id).join(', ')}, or the first letters.`,
  );
}

/** Takes one ratio from each round, so that a slow phase of the machine affects both sides. */
export function rowOf({ scenario, rival, measure, goal }, rounds) {
  const quantity = measure === 'p99' ? 'p99 of ' : '';
  const against = rival === 'bare' ? '' : `, against ${contenders[rival].title}`;
  return ratioRow({
    title: `${quantity}${scenarios[scenario].title}${against}`,
    ratios: rounds.map((round) => round.ours[measure] / round[rival][measure]),
    cpu: measure === 'rate' ? median(rounds.map((round) => round[rival].cpu / round.ours.cpu)) : undefined,
    ...(measure === 'p99' ? { atMost: goal } : { atLeast: goal }),
  });
}

/** For the chart: each contender's rate as a multiple of the bare one. */
export function multiplesOf(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(
    names.map((name) => [
      name,
      median(rounds.map((round) => round[name].rate / (round.bare ?? round.ours).rate)),
    ]),
  );
}
