import { describe, expect, it } from 'vitest';
import { sampleApp } from './sample-app.js';

describe('the health of the sample', () => {
  it('is ok while the database responds, and 503 without a reason after that', async () => {
    const app = await sampleApp();
    app.nest.useLogger(false);
    const ready = await fetch(`${app.origin}/health`);
    await app.database.dataSource.destroy();

    const notReady = await fetch(`${app.origin}/health`);
    const live = await fetch(`${app.origin}/health/live`);

    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ok' }]);
    expect(ready.headers.get('cache-control')).toMatch(/no-store/);
    expect([notReady.status, await notReady.json()]).toEqual([
      503,
      {
        type: 'urn:problem:shipping:service_unavailable',
        title: 'Service unavailable',
        status: 503,
        code: 'service_unavailable',
        detail: 'Service unavailable.',
      },
    ]);
    expect([live.status, await live.json()]).toEqual([200, { status: 'ok' }]);
    await app.close();
  });
});
