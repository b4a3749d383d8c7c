import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../../mounted.js';
import { Client, freshProject, ground } from '../../support/client.js';
import { engine, onlyWhere } from '../../support/database.js';

onlyWhere('severalConnections', () => {
  describe('a hook whose connection breaks before its first statement', () => {
    const host = mounted({
      shipping: {
        beforeCommit: {
          change: async (_change, manager) => {
            const [own] = await manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
            await engine.killConnection(host.dataSource.manager, own?.pid ?? 0);
            // TypeORM releases the connection as soon as it hears that it is gone.
            await vi.waitUntil(() => manager.queryRunner?.isReleased);
            await manager.query('SELECT 1');
          },
        },
      },
    });

    it('lets the change fail with database_unavailable', async () => {
      const client = new Client(host.app.origin, freshProject());

      const response = await client.create(ground);

      expect(response).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      expect((await client.list()).body).toMatchObject({ data: [] });
    });

    it('names the error of the connection, not the query runner that TypeORM has released', async () => {
      const change = host.methods.create(freshProject(), ground);

      await expect(change).rejects.toMatchObject({ cause: { code: '57P01' } });
    });
  });

  describe('a transaction that is idle for too long', () => {
    const host = mounted();

    it('makes the next call fail with the error of the server, and stores nothing', async () => {
      const project = freshProject();

      const working = host.dataSource.transaction(async (manager) => {
        await manager.query(`SET LOCAL idle_in_transaction_session_timeout = '50ms'`);
        await host.methods.create(project, ground, { manager });
        await vi.waitUntil(() => manager.queryRunner?.isReleased);
        await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
      });

      await expect(working).rejects.toMatchObject({ code: 'database_unavailable', cause: { code: '25P03' } });
      expect((await host.methods.list(project)).meta.total).toBe(0);
    });
  });
});
