import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { fourMethods } from './page-in-browser.js';
import { isInstalled, Operator, place } from './operator.js';
import { pageHost, type PageHost, type PageHostOptions } from './page-host.js';

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
const added = (path: string): string => `/backend${path}`;

describe.skipIf(!isInstalled)(`the page behind a proxy${place}`, () => {
  let host: PageHost;
  let operator: Operator;
  afterEach(async () => {
    await operator?.close();
    await host?.close();
  });
  afterAll(() => Operator.leave());

  it.each<[string, PageHostOptions, (path: string) => string, address: string]>([
    ['strips a prefix', {}, stripped, '/admin/shipping'],
    ['strips a prefix, and the address has a final slash', {}, stripped, '/admin/shipping/'],
    [
      'strips a prefix, with a global prefix',
      { configure: (app) => app.setGlobalPrefix('api') },
      stripped,
      '/admin/api/shipping',
    ],
    ['adds a prefix', { configure: (app) => app.setGlobalPrefix('backend') }, added, '/shipping'],
  ])('works when the proxy %s', async (_what, options, change, address) => {
    host = await pageHost(options);
    const prefix = options.configure ? (change === added ? '/backend' : '/api') : '';
    const shop = await fourMethods(host.origin + prefix);
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
