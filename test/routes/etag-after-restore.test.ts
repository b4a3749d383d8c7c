import { ShippingMethod, ShippingProject } from 'nestjs-shipping';
import { beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { isCitus } from '../support/citus.js';
import { Client, freshProject, ground } from '../support/client.js';

describe('the ETag of a list or tree', () => {
  const host = mounted();
  let shop: Client;
  beforeEach(() => {
    shop = host.shop();
  });

  /** Takes a backup of a project. @returns a function that restores it */
  const backedUp = async (projectId: string): Promise<() => Promise<unknown>> => {
    const { manager } = host.dataSource;
    const project = await manager.findOneByOrFail(ShippingProject, { projectId });
    const rows = await manager.findBy(ShippingMethod, { projectId });
    return async () => {
      await manager.delete(ShippingMethod, { projectId });
      await manager.save(rows);
      await manager.update(ShippingProject, { projectId }, project);
    };
  };

  /** Reads the list and the tree as a client that holds these ETags. */
  const read = (list = '"none"', tree = '"none"') =>
    Promise.all([shop.list('', { 'if-none-match': list }), shop.tree({ 'if-none-match': tree })]);
  const expectBoth = (responses: { status: number; text: string }[], label: string): void => {
    for (const { status, text } of responses)
      expect([status, text]).toEqual([200, expect.stringContaining(label)]);
  };
  const tagsOf = (responses: { headers: Headers }[]): string[] =>
    responses.map(({ headers }) => headers.get('etag') ?? '');

  // Citus refuses to change the project of a row.
  it.skipIf(isCitus).each(['its own project', 'its defaults'])(
    'does not match after a restore and another change of %s',
    async (changed) => {
      const owner = changed === 'its defaults' ? 'default' : shop.project;
      const codes = { ...ground, method_code: shop.project };
      const { id } = await host.methods.create(owner, codes);
      if (owner === 'default') await host.methods.create(shop.project, { ...codes, use_default: true });
      const restore = await backedUp(owner);
      await host.methods.update(owner, id, { ...codes, method_label: 'Lost' });
      const held = await read();

      await restore();
      await host.methods.update(owner, id, { ...codes, method_label: 'Changed' });

      expectBoth(held, '"Lost"');
      expectBoth(await read(...tagsOf(held)), '"Changed"');
    },
  );

  it('of an empty project does not match after an import by SQL', async () => {
    const held = await read();
    const { id } = await host.methods.create(freshProject(), ground);
    const { manager } = host.dataSource;
    const row = await manager.findOneByOrFail(ShippingMethod, { id });

    await manager.save(Object.assign(row, { projectId: shop.project }));
    const revision = '00000000-0000-0000-0000-000000000000';
    await manager.insert(ShippingProject, { projectId: shop.project, revision });

    expectBoth(held, '"data":[]');
    expectBoth(await read(...tagsOf(held)), '"UPS Ground"');
  });
});
