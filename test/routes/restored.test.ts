import { ShippingMethod, ShippingMethods, ShippingProject } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('the ETag of a list or tree', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());

  /** Takes a backup of a project. @returns a function that restores it */
  const backedUp = async (projectId: string): Promise<() => Promise<unknown>> => {
    const { manager } = app.database.dataSource;
    const project = await manager.findOneByOrFail(ShippingProject, { projectId });
    const rows = await manager.findBy(ShippingMethod, { projectId });
    return async () => {
      await manager.delete(ShippingMethod, { projectId });
      await manager.save(rows);
      await manager.update(ShippingProject, { projectId }, project);
    };
  };

  const routes = ['list', 'tree'] as const;
  const read = (shop: Client, route: (typeof routes)[number], tag = '"none"') => {
    const headers = { 'if-none-match': tag };
    return route === 'list' ? shop.list('', headers) : shop.tree(headers);
  };

  it.each(routes)('does not match after a restore and another change: %s', async (route) => {
    const shop = new Client(app.origin, freshProject());
    const { id } = await methods.create(shop.project, ground);
    const restore = await backedUp(shop.project);
    await methods.update(shop.project, id, { ...ground, method_label: 'Lost' });
    const held = await read(shop, route);

    await restore();
    await methods.update(shop.project, id, { ...ground, method_label: 'Changed' });
    const { status, text } = await read(shop, route, held.headers.get('etag') ?? '');

    expect(held.text).toContain('"Lost"');
    expect(status).toBe(200);
    expect(text).toContain('"Changed"');
  });

  it.each(routes)('does not match after a restore and another change of its defaults: %s', async (route) => {
    const shop = new Client(app.origin, freshProject());
    const codes = { ...ground, method_code: shop.project };
    const { id } = await methods.create('default', codes);
    await methods.create(shop.project, { ...codes, use_default: true });
    const restore = await backedUp('default');
    await methods.update('default', id, { ...codes, method_label: 'Lost' });
    const held = await read(shop, route);

    await restore();
    await methods.update('default', id, { ...codes, method_label: 'Changed' });
    const { status, text } = await read(shop, route, held.headers.get('etag') ?? '');

    expect(held.text).toContain('"Lost"');
    expect(status).toBe(200);
    expect(text).toContain('"Changed"');
  });

  it.each(routes)('of an empty project does not match after an import: %s', async (route) => {
    const shop = new Client(app.origin, freshProject());
    const held = await read(shop, route);
    const source = freshProject();
    await methods.create(source, ground);
    const { manager } = app.database.dataSource;
    const row = await manager.findOneByOrFail(ShippingMethod, { projectId: source });

    await manager.save(Object.assign(row, { projectId: shop.project }));
    await manager.insert(ShippingProject, {
      projectId: shop.project,
      revision: '00000000-0000-0000-0000-000000000000',
    });
    const { status, text } = await read(shop, route, held.headers.get('etag') ?? '');

    expect(held.text).not.toContain('"UPS Ground"');
    expect(status).toBe(200);
    expect(text).toContain('"UPS Ground"');
  });
});
