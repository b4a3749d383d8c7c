import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { shippingContract } from './contract.js';

/** The origin of a host that gives this answer to every request. */
async function hostAnswering(status: number, body: object): Promise<string> {
  const host = createServer((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
  await once(host.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

it('the contract tells a host whose answers are wrapped about unwrap', async () => {
  const origin = await hostAnswering(201, { data: { id: '1' } });

  const [first] = shippingContract(() => ({ origin }));

  await expect(first?.run()).rejects.toThrow(/wraps answers.*unwrap/);
});

it('the contract fails for a host that sends a refusal with another status', async () => {
  const origin = await hostAnswering(200, { code: 'validation_failed', errors: [{}, {}, {}] });

  const check = shippingContract(() => ({ origin })).find(({ title }) => title.includes('missing'));

  await expect(check?.run()).rejects.toThrow(/status: 400/);
});
