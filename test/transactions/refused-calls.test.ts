import { MethodNotFoundError, ShippingProject } from 'nestjs-shipping';
import { In } from 'typeorm';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const unknownId = '01890000-0000-7000-8000-000000000000';

const host = mounted();

it("Calls that are refused or change nothing store nothing when the host's transaction commits", async () => {
  const [refused, empty] = [freshProject(), freshProject()];
  const [nothingToAdopt, nothingToRemove] = [freshProject(), freshProject()];

  await host.dataSource.transaction(async (manager) => {
    const options = { manager };
    const update = host.methods.update(refused, unknownId, ground, options);
    await expect(update).rejects.toThrow(MethodNotFoundError);
    const remove = host.methods.remove(refused, unknownId, options);
    await expect(remove).rejects.toThrow(MethodNotFoundError);
    await host.methods.upsertMany(empty, [], options);
    await host.methods.adoptDefaults(nothingToAdopt, options);
    await host.methods.removeProject(nothingToRemove, options);
  });

  const projectId = In([refused, empty, nothingToAdopt, nothingToRemove]);
  expect(await host.dataSource.getRepository(ShippingProject).findBy({ projectId })).toEqual([]);
});

it('A create after a refused call in the same transaction is stored', async () => {
  const projectId = freshProject();

  await host.dataSource.transaction(async (manager) => {
    await expect(host.methods.remove(projectId, unknownId, { manager })).rejects.toThrow(MethodNotFoundError);
    await host.methods.create(projectId, ground, { manager });
  });

  expect((await host.methods.list(projectId)).meta.total).toBe(1);
});
