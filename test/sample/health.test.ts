import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthController } from '../../apps/sample/src/health.controller.js';
import { type SampleApp, sampleApp } from './sample-app.js';

describe('the health of the sample', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp('demo=demo-key');
  });
  afterAll(() => app?.close());

  it.each(['/health/live', '/health/ready'])(
    '%s answers yes without an API key, and may not be cached',
    async (path) => {
      const response = await fetch(app.origin + path);

      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );

  it.each(['/health', '/health/', '/health/other', '/health/live/x', '/x/../openapi.json'])(
    '%s asks for a key',
    async (path) => {
      expect((await fetch(app.origin + path)).status).toBe(401);
    },
  );

  it('is alive but not ready while the database is closed, and gives no reason', async () => {
    const closed = await sampleApp();
    await closed.database.dataSource.destroy();

    const [ready, live] = await Promise.all([
      fetch(`${closed.origin}/health/ready`),
      fetch(`${closed.origin}/health/live`),
    ]);

    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable' }]);
    expect(ready.headers.get('retry-after')).toBe('1');
    expect(live.status).toBe(200);
    await closed.close();
  });

  it('is not ready while the process stops, even when the database answers', async () => {
    const health = app.nest.get(HealthController);
    health.onModuleDestroy();

    const [ready, live] = await Promise.all([
      fetch(`${app.origin}/health/ready`),
      fetch(`${app.origin}/health/live`),
    ]);

    expect([ready.status, live.status]).toEqual([503, 200]);
  });
});
