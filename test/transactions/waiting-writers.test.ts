import { ShippingMethodsService } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';
import { anyStatement, watchStatements } from '../support/statements.js';

const host = mounted();

onlyWhere('severalConnections', () => {
  describe('changes that wait for a lock of the host', () => {
    it('time out together with the changes that wait behind them, and store nothing', async () => {
      const database = await testDatabase({ lockTimeoutMs: 500 });
      const impatient = await testApp({ database });
      const service = impatient.nest.get(ShippingMethodsService);
      const project = freshProject();
      await service.create(project, ground);
      const { sent } = watchStatements(database.dataSource);

      const outcomes = await database.dataSource.transaction(async (manager) => {
        await service.create(project, { ...ground, method_code: 'own' }, { manager });
        sent.length = 0;
        return Promise.allSettled(
          Array.from({ length: 8 }, (_, n) => service.create(project, { ...ground, method_code: `m${n}` })),
        );
      });
      const waited = sent.filter((sql) => /UPDATE \S*shipping_project/.test(sql));

      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } });
      // Only one of them was tried. The others had not begun.
      expect(waited).toHaveLength(1);
      expect((await service.list(project)).meta.total).toBe(2);
      await impatient.close();
      await database.close();
    });
  });

  describe('a change that loses its connection', () => {
    it('makes the changes behind it fail at once with database_unavailable', async () => {
      const project = freshProject();
      await host.methods.create(project, ground);
      const { dataSource } = host.app.database;

      const outcomes = await dataSource.transaction(async (manager) => {
        await host.methods.create(project, { ...ground, method_code: 'own' }, { manager });
        const outcomesSoFar: PromiseSettledResult<unknown>[] = [];
        for (const method_code of ['a', 'b', 'c'])
          void Promise.allSettled([host.methods.create(project, { ...ground, method_code })]).then(
            ([outcome]) => outcomesSoFar.push(outcome),
          );
        const waiting = await engine.someoneWaitsFor(manager);
        await engine.killConnection(dataSource.manager, waiting);
        // A call that fails at once needs far fewer tries. A call that waits needs the end of this transaction.
        for (let tries = 0; tries < 1000 && outcomesSoFar.length < 3; tries++) await anyStatement(manager);
        return [...outcomesSoFar];
      });

      expect(outcomes).toMatchObject([
        { reason: { code: 'database_unavailable' } },
        { reason: { code: 'database_unavailable' } },
        { reason: { code: 'database_unavailable' } },
      ]);
      expect((await host.methods.list(project)).meta.total).toBe(2);
    });
  });
});
