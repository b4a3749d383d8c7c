import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { watchStatements } from '../support/statements.js';
import { compiled, typeOrm } from './host.js';

it('cache: false makes each call read the methods again, and keeps nothing in memory', async () => {
  const database = await testDatabase();
  const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false, cache: false })]);
  const methods = testing.get(ShippingMethodsService);
  const project = freshProject();
  await methods.create(project, ground);

  for (const read of ['list', 'tree', 'findActive'] as const) {
    const { sent, stop } = watchStatements(database.dataSource);
    await methods[read](project);
    stop();

    expect(sent).toEqual([expect.stringContaining('shipping_method')]);
  }
  expect(methods.cacheStats()).toMatchObject({ bytes: 0, projects: 0, hits: 0 });
  await database.close();
});
