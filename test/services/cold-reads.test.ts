import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { watchStatements } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const host = mounted({ shipping: { cache: false } });

it('reads of several projects at once send one statement for each project', async () => {
  const projects = Array.from({ length: 4 }, freshProject);
  for (const project of projects) await host.methods.create(project, ground);
  const { sent, stop } = watchStatements(host.dataSource);

  const lists = await Promise.all(projects.map((project) => host.methods.list(project)));
  stop();

  expect(lists.map(({ data }) => data[0]?.project_id)).toEqual(projects);
  expect(sent.filter((sql) => /FROM \S*shipping_project\b.* JOIN/.test(sql))).toHaveLength(4);
});
