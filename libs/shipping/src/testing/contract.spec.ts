import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { shippingContract } from './contract.js';

it('the contract tells a host whose answers are wrapped about unwrap', async () => {
  const host = createServer((_request, response) => response.writeHead(201).end('{"data":{"id":"1"}}'));
  await once(host.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void host.close());
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;

  const [first] = shippingContract(() => ({ origin }));

  await expect(first?.run()).rejects.toThrow(/wraps answers.*unwrap/);
});
