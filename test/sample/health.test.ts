import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleApp, sampleApp } from './sample-app.js';

describe('the health of the sample', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp();
  });
  afterAll(() => app?.close());

  it.each(['/health/live', '/health/ready'])('%s says yes, and may not be cached', async (path) => {
    const response = await fetch(app.origin + path);

    expect([response.status, await response.json()]).toMatchObject([200, { status: 'ok' }]);
    expect(response.headers.get('cache-control')).toMatch(/no-store/);
  });

  it('is alive but not ready while the database is closed, and gives no reason', async () => {
    const closed = await sampleApp();
    await closed.database.dataSource.destroy();

    const [ready, live] = await Promise.all([
      fetch(`${closed.origin}/health/ready`),
      fetch(`${closed.origin}/health/live`),
    ]);

    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        type: 'urn:problem:shipping:service_unavailable',
        title: 'Service unavailable',
        status: 503,
        code: 'service_unavailable',
        detail: 'Service unavailable.',
      },
    ]);
    expect(live.status).toBe(200);
    await closed.close();
  });
});
