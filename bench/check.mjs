import { isDeepStrictEqual } from 'node:util';
import { requestOf } from './contenders.mjs';

/** What the library has and a team that writes by hand would not. */
const extras = ['inherited', 'own'];

/** What differs between two projects with the same methods: only there, each contender writes in its own. */
const varying = ['id', 'project_id', 'created_at', 'updated_at'];

/** The first numbers of each scenario are used up by the check. */
export const firstTimed = 1000;
const checked = [0, 1, 99];

/** Before anything is timed: each contender gives the answer that ours gives. @throws Error that shows both */
export async function checkEqual(scenario, contenders, size) {
  for (const number of checked) {
    const answers = await Promise.all(
      contenders.map((contender) => answer(contender, requestOf(contender.name, scenario, number, size))),
    );
    const odd = answers.findIndex((other) => !isDeepStrictEqual(other, answers[0]));
    if (odd > 0) {
      const [expected, actual] = [answers[0], answers[odd]].map((value) =>
        JSON.stringify(value).slice(0, 2000),
      );
      const names = `${contenders[odd].name} and ${contenders[0].name}`;
      throw new Error(
        `${names} answer request ${number} of ${scenario} differently:\n${actual}\n${expected}`,
      );
    }
  }
}

async function answer({ origin, name }, { path, ...request }) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(origin + path, { ...request, ...(request.body && { headers }) });
  const sent = await response.json();
  if (!response.ok) throw new Error(`${name}: ${response.status} to ${path}: ${JSON.stringify(sent)}`);
  const left = request.body ? [...extras, ...varying] : extras;
  const { data = sent, meta } = sent;
  // `totalItems` is nestjs-paginate's word.
  return { data: without(left, data), total: sent.data && (meta?.total ?? meta?.totalItems) };
}

function without(left, data) {
  return JSON.parse(JSON.stringify(data, (key, value) => (left.includes(key) ? undefined : value)));
}
