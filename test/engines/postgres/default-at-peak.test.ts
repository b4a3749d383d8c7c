import { setTimeout as sleep } from 'node:timers/promises';
import { ShippingMethod, ShippingMethodsService } from 'nestjs-shipping';
import { type QueryRunner } from 'typeorm';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../support/app.js';
import { freshProject, ground } from '../../support/client.js';
import { onlyWhere, testDatabase } from '../../support/database.js';

// docs/dba.md names this statement.

onlyWhere('severalConnections', () => {
  it('a default that overlapping checkouts lock can be changed under a lock of the table', async () => {
    const database = await testDatabase({ connections: 6, lockTimeoutMs: 2500, statementTimeoutMs: 3000 });
    const app = await testApp({ database });
    onTestFinished(() => app.close());
    const [methods, { dataSource }] = [app.nest.get(ShippingMethodsService), database];
    const shop = freshProject();
    const { id } = await methods.create('default', ground);
    const inheriting = await methods.create(shop, { ...ground, use_default: true });
    const checkout = async (): Promise<QueryRunner> => {
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      await methods.findOrFail(shop, inheriting.id, { manager: runner.manager, lock: true });
      return runner;
    };
    const end = async (runner: QueryRunner): Promise<void> => {
      await runner.commitTransaction();
      await runner.release();
    };
    const peak = new AbortController();
    let last = await checkout();
    // Each checkout ends after the next one has its lock, unless the next one has to wait.
    const checkouts = (async () => {
      while (!peak.signal.aborted) {
        const next = checkout();
        await Promise.race([next, sleep(1000)]);
        await end(last);
        last = await next;
      }
      await end(last);
    })();
    const deactivate = { is_active: false };

    const change = methods.update('default', id, deactivate);
    const outcomes = await Promise.allSettled([change]);
    const changing = dataSource.transaction(async (manager) => {
      await manager.query(`LOCK TABLE ${dataSource.getMetadata(ShippingMethod).tablePath} IN EXCLUSIVE MODE`);
      await methods.update('default', id, deactivate, { manager });
    });
    await Promise.allSettled([changing]);
    peak.abort();
    await checkouts;

    // Each checkout is a new wait for a lock, so only the limit for statements ends the change.
    expect(outcomes).toMatchObject([
      { reason: { contention: undefined, cause: { driverError: { code: '57014' } } } },
    ]);
    await changing;
    expect((await methods.findOrFail(shop, inheriting.id)).is_active).toBe(false);
  });
});
