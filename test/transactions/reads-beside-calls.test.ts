import { type EntitySubscriberInterface } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';

const methodsOf = (sort_order: number) =>
  Array.from({ length: 20 }, (_, n) => ({
    carrier_code: 'ups',
    method_code: `${n}`,
    method_label: 'UPS',
    sort_order,
  }));

const host = mounted();

onlyWhere('connections', () => {
  describe('a read beside calls in the transaction of another caller', () => {
    it.each(['list', 'dry run'])('shows each call completely or not at all: %s', async (name) => {
      const project = freshProject();
      await host.methods.upsertMany(project, methodsOf(0));
      const read = async (): Promise<(number | undefined)[]> => {
        if (name === 'list')
          return (await host.methods.list(project, { per_page: 100 })).data.map(
            ({ sort_order }) => sort_order,
          );
        const { changes } = await host.methods.upsertMany(project, methodsOf(-1), { dryRun: true });
        return changes.map(({ before }) => before?.sort_order);
      };
      // SQLite responds at once. Other code must run between two statements.
      const slow: EntitySubscriberInterface = { beforeQuery: () => new Promise(setImmediate) };
      host.dataSource.subscribers.push(slow);
      const state = { isOver: false };

      const writing = host.dataSource.transaction(async (manager) => {
        for (let n = 1; n <= 5; n++) await host.methods.upsertMany(project, methodsOf(n), { manager });
      });
      const over = writing.finally(() => (state.isOver = true));
      const seen: number[] = [];
      const readOn = async (): Promise<void> => {
        while (!state.isOver) seen.push(new Set(await read()).size);
      };
      await Promise.all([readOn(), readOn(), readOn()]);
      await over;
      host.dataSource.subscribers.pop();

      expect([...new Set(seen)]).toEqual([1]);
      // A view that a read has cached is not older than the COMMIT.
      expect([...new Set(await read())]).toEqual([5]);
    });
  });
});
