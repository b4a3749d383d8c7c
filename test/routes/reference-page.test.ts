import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';

// docs/reference.md shows these requests and responses.

const page = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8');
const [request, method, invalidRequest, problem] = Array.from(
  page.matchAll(/```json\n([^]*?)\n```/g),
  ([, json = '']) => JSON.parse(json) as Record<string, unknown>,
);

const host = mounted();

it('docs/reference.md shows the response to a create', async () => {
  const { body } = await host.shop().create(request);

  const { id, project_id, created_at, updated_at } = body;
  expect(body).toEqual({ ...method, id, project_id, created_at, updated_at });
  expect(Object.keys(body)).toEqual(Object.keys(method ?? {}));
});

it('docs/reference.md shows the response to an invalid create', async () => {
  const { body } = await host.shop().create(invalidRequest);

  expect(body).toEqual(problem);
});
