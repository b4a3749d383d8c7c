import { setTimeout as sleep } from 'node:timers/promises';
import { ShippingMethod, ShippingMethodsService } from 'nestjs-shipping';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../support/app.js';
import { freshProject, ground } from '../../support/client.js';
import { onlyWhere, testDatabase } from '../../support/database.js';

// docs/dba.md names this statement.

onlyWhere('severalConnections', () => {
  it('a default that overlapping checkouts lock can be changed under a lock of the table', async () => {
    const database = await testDatabase({ connections: 6, lockTimeoutMs: 1000, statementTimeoutMs: 1500 });
    const app = await testApp({ database });
    onTestFinished(() => app.close());
    const [methods, { dataSource }] = [app.nest.get(ShippingMethodsService), database];
    const shop = freshProject();
    const { id } = await methods.create('default', ground);
    const inheriting = await methods.create(shop, { ...ground, use_default: true });
    let isPeak = true;
    const checkouts = [0, 20, 40, 60].map(async (startMs) => {
      await sleep(startMs);
      while (isPeak)
        await dataSource.transaction(async (manager) => {
          await methods.findOrFail(shop, inheriting.id, { manager, lock: true });
          await sleep(80);
        });
    });
    const deactivate = { is_active: false };

    const change = methods.update('default', id, deactivate);
    const outcomes = await Promise.allSettled([change]);
    const changing = dataSource.transaction(async (manager) => {
      await manager.query(`LOCK TABLE ${dataSource.getMetadata(ShippingMethod).tablePath} IN EXCLUSIVE MODE`);
      await methods.update('default', id, deactivate, { manager });
    });
    await Promise.allSettled([changing]);
    isPeak = false;
    await Promise.all(checkouts);

    // Each checkout is a new wait for a lock, so only the limit for statements ends the change.
    expect(outcomes).toMatchObject([
      { reason: { contention: undefined, cause: { driverError: { code: '57014' } } } },
    ]);
    await changing;
    expect((await methods.findOrFail(shop, inheriting.id)).is_active).toBe(false);
  });
});
