import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fourMethods } from './page-in-browser.js';
import { isInstalled, Operator, place } from './operator.js';
import { pageHost, type PageHost } from './page-host.js';

/** A proxy of the host that changes the path of each request. */
async function proxyOf(origin: string, change: (path: string) => string) {
  const server = createServer((asked, response) => {
    const { method, headers, url = '' } = asked;
    const passed = request(origin + change(url), { method, headers }, (from) => {
      response.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(response);
    });
    asked.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const stripped = (path: string): string => path.replace(/^\/admin(?=\/)/, '');
const added = (path: string): string => `/api${path}`;

describe.skipIf(!isInstalled)(`the page behind a proxy${place}`, () => {
  let host: PageHost;
  let operator: Operator;
  beforeAll(async () => {
    host = await pageHost({ configure: (app) => app.setGlobalPrefix('api') });
  });
  afterEach(() => operator?.close());
  afterAll(() => host?.close());

  it.each<[string, (path: string) => string, address: string]>([
    ['strips a prefix', stripped, '/admin/api/shipping'],
    ['strips a prefix, and the address has a final slash', stripped, '/admin/api/shipping/'],
    ['adds a prefix', added, '/shipping'],
  ])('works when the proxy %s', async (_what, change, address) => {
    const shop = await fourMethods(`${host.origin}/api`);
    const proxy = await proxyOf(host.origin, change);
    operator = await Operator.at(`${proxy.origin}${address}?project=${shop.project}`);

    await operator.row('UPS Ground').waitFor();
    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');

    expect(operator.errors).toEqual([]);
    proxy.server.closeAllConnections();
    proxy.server.close();
  });
});
