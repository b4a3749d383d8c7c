import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleApp, sampleApp } from './sample-app.js';

describe('the sample', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp();
  });
  afterAll(() => app?.close());

  it('describes the six routes and the shop in openapi.json', async () => {
    const response = await fetch(`${app.origin}/openapi.json`);

    const { paths } = (await response.json()) as { paths: Record<string, object> };
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path.replace('/api/projects/{project_id}', '')}`),
    );
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(operations.toSorted()).toEqual([
      'delete /sales/orders/shipments/methods/{method_id}',
      'get /sales/orders/shipments/methods',
      'get /sales/orders/shipments/methods/tree',
      'get /sales/orders/{order_id}/events',
      'get /shops/{shop}/methods',
      'patch /sales/orders/shipments/methods/{method_id}',
      'post /sales/orders/shipments/methods',
      'post /shops/{shop}/orders',
    ]);
  });

  it('names its licence and its server in openapi.json', async () => {
    const response = await fetch(`${app.origin}/openapi.json`);

    const document = (await response.json()) as { tags: { name: string }[] };
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { license: { name: 'MIT' } },
      servers: [{ url: '/' }],
    });
    expect(document.tags.map(({ name }) => name)).toEqual(['Shop', 'Shipping methods', 'Order events']);
  });

  it.each(['/docs', '/shipping'])(
    'serves %s as a page that loads nothing from other servers',
    async (path) => {
      const response = await fetch(app.origin + path);

      const html = await response.text();
      const loaded = [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
        ([, reference]) => reference ?? '',
      );
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(loaded.length).toBeGreaterThan(0);
      for (const reference of loaded) {
        const { origin, href } = new URL(reference, app.origin + path);
        const asset = await fetch(href);
        expect([origin, asset.status, (await asset.text()).length > 0]).toEqual([app.origin, 200, true]);
      }
    },
  );

  it('responds to an unknown path with a problem', async () => {
    const response = await fetch(`${app.origin}/nowhere`);

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });
});
