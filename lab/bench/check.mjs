import { isDeepStrictEqual } from 'node:util';
import { requestOf } from './scenarios.mjs';

/** Fields of the library that a hand-written service would not have. */
const extras = ['use_default', 'inherited', 'own', 'etag'];

/** Fields that differ between projects with the same methods. Each contender writes in its own projects. */
const varying = ['id', 'project_id', 'created_at', 'updated_at'];

/** The number of the first request that is timed. The check uses lower numbers. */
export const firstTimed = 1000;
const checked = [0, 1, 99, 999];

/** Checks that each contender gives the same responses as ours. @throws Error that shows both responses */
export async function checkEqual(scenario, contenders) {
  for (const number of checked) {
    const responses = [];
    for (const contender of contenders) responses.push(await responseOf(contender, scenario, number));
    const differing = responses.findIndex((other) => !isDeepStrictEqual(other, responses[0]));
    if (differing < 0) continue;
    const [expected, actual] = [responses[0], responses[differing]].map((value) =>
      JSON.stringify(value).slice(0, 2000),
    );
    throw new Error(
      `${contenders[differing].name} responds to request ${number} of ${scenario} differently from ours:\n${actual}\n${expected}`,
    );
  }
}

async function responseOf({ origin, name }, scenario, number) {
  const { path, ...request } = requestOf(name, scenario, number);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(origin + path, { ...request, ...(request.body && { headers }) });
  const sent = await response.json();
  if (!response.ok) throw new Error(`${name}: ${response.status} to ${path}: ${JSON.stringify(sent)}`);
  const ignored = request.body ? [...extras, ...varying] : extras;
  const { data = sent, meta } = sent;
  // nestjs-paginate names the total `totalItems`.
  return { data: without(ignored, data), total: sent.data && (meta?.total ?? meta?.totalItems) };
}

function without(names, data) {
  return JSON.parse(JSON.stringify(data, (key, value) => (names.includes(key) ? undefined : value)));
}
