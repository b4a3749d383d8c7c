import { isDeepStrictEqual } from 'node:util';
import { requestOf } from './contenders.mjs';

/** Fields of the library that a hand-written service would not have. */
const extras = ['inherited', 'own', 'etag'];

/** Fields that differ between projects with the same methods. Each contender writes in its own projects. */
const varying = ['id', 'project_id', 'created_at', 'updated_at'];

/** The check uses the request numbers of each scenario below this one. */
export const firstTimed = 1000;
const checked = [0, 1, 99];

/** Checks that each contender gives the same answers as ours. @throws Error that shows both answers */
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
  // nestjs-paginate names the total `totalItems`.
  return { data: without(left, data), total: sent.data && (meta?.total ?? meta?.totalItems) };
}

function without(left, data) {
  return JSON.parse(JSON.stringify(data, (key, value) => (left.includes(key) ? undefined : value)));
}
