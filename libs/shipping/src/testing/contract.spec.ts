import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type ContractCheck, shippingContract } from './contract.js';

const nowhere = 'http://127.0.0.1:9';

/** The origin of a host that gives this response to every request. */
function hostResponding(status: number, body: object): Promise<string> {
  return serving((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
}

async function serving(listener: RequestListener): Promise<string> {
  const host = createServer(listener);
  await once(host.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

it('the contract tells a host that wraps responses to use unwrap', async () => {
  const origin = await hostResponding(201, { data: { id: '1' } });

  const [first] = shippingContract(() => ({ origin }));

  await expect(first?.run()).rejects.toThrow(/wraps responses.*unwrap/);
});

it('the contract fails for a host that sends an error with another status', async () => {
  const origin = await hostResponding(200, { code: 'validation_failed', errors: [{}, {}, {}] });

  const check = shippingContract(() => ({ origin })).find(({ title }) => title.includes('missing'));

  await expect(check?.run()).rejects.toThrow(/status: 400/);
});

const named = (checks: ContractCheck[], word: string): ContractCheck | undefined =>
  checks.find(({ title }) => title.includes(word));

it.each([
  [200, '<!doctype html><title>The web app</title>'],
  [404, '{"statusCode":404,"message":"Cannot GET it"}'],
])(
  'the contract names the catch-all route of a host that responds to our GET with %i',
  async (status, page) => {
    const origin = await serving(({ method }, response) => {
      if (method === 'POST') response.writeHead(201).end('{"id":"1"}');
      else response.writeHead(status).end(page);
    });

    const checks = shippingContract(() => ({ origin }));

    for (const word of ['list pages', 'tree', '304'])
      await expect(named(checks, word)?.run()).rejects.toThrow(
        /another route of your application.*catch-all/is,
      );
  },
);

it('the contract uses the only parameter of the path for its project', async () => {
  const urls: string[] = [];
  const origin = await serving(({ url = '' }, response) => {
    urls.push(url);
    response.writeHead(500).end();
  });
  const target = { origin, path: 'shops/:shop/orders', projectId: async () => 'north' };

  await named(
    shippingContract(() => target),
    'tree',
  )
    ?.run()
    .catch(() => undefined);

  expect(urls).toEqual([
    '/shops/north/orders/shipments/methods',
    '/shops/north/orders/shipments/methods/tree',
  ]);
});

it('the contract has no checks that a host leaves out', () => {
  const checks = shippingContract(() => ({ origin: nowhere }), { without: ['events', 'defaults'] });

  const leftOut = checks.filter(({ title }) => /events|use_default/.test(title));
  expect(leftOut).toEqual([]);
  expect(checks.map(({ title }) => title)).toContainEqual(expect.stringContaining('tree'));
});

it('the contract says what to add to a target that lacks the events', async () => {
  const check = named(
    shippingContract(() => ({ origin: nowhere })),
    'events',
  );

  await expect(check?.run()).rejects.toThrow('orderEvents: app.get(OrderEventsService)');
});
