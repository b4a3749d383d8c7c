import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { watchStatements } from '../support/statements.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

const host = mounted({ shipping: { cache: false, defaultsProjectId: 'cold-defaults' } });

/** Lists projects at the same time. @returns their labels, and how many statements have read methods */
async function listed(projects: readonly string[]): Promise<{ labels: string[][]; statements: number }> {
  const { sent, stop } = watchStatements(host.dataSource);
  const lists = await Promise.all(projects.map((project) => host.methods.list(project)));
  stop();
  return {
    labels: lists.map(({ data }) => data.map(({ method_label }) => method_label)),
    statements: sent.filter((sql) => /FROM \S*shipping_project\b.* JOIN/.test(sql)).length,
  };
}

it('reads of several projects at the same time send one statement for 32 projects', async () => {
  const projects = Array.from({ length: 80 }, freshProject);
  for (const [n, project] of projects.entries())
    await host.methods.create(project, { ...ground, method_label: `Ground ${n}` });

  const { labels, statements } = await listed(projects);

  expect(labels).toEqual(projects.map((_, n) => [`Ground ${n}`]));
  expect(statements).toBe(3);
});

it('reads of projects that inherit, that do not, and that are unknown share their statements', async () => {
  await host.methods.upsertMany('cold-defaults', [{ ...ground, method_label: 'Default' }]);
  const [inheriting, own, unknown] = [freshProject(), freshProject(), freshProject()];
  await host.methods.create(inheriting, { ...ground, use_default: true });
  await host.methods.upsertMany(own, [ground, { ...express, use_default: true }]);

  const { labels, statements } = await listed([inheriting, own, unknown, 'cold-defaults']);

  expect(labels).toEqual([['Default'], ['UPS Express', 'UPS Ground'], [], ['Default']]);
  // The second statement reads the projects again, together with the defaults.
  expect(statements).toBe(2);
});
