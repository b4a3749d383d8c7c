import { ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('a read by a sibling module', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  it('works after a pooler has lost the prepared statements', async () => {
    const methods = app.nest.get(ShippingMethods);
    const project = freshProject();
    await methods.create(project, ground);
    await methods.list(project);
    await app.database.dataSource.query('DEALLOCATE ALL');

    const lists = [await methods.list(project), await methods.list(project)];
    await methods.create(project, { ...ground, method_code: '04' });

    expect(lists[0]).toEqual(lists[1]);
    expect((await methods.list(project)).meta.total).toBe(2);
  });
});
