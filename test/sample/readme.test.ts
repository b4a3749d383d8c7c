import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ConflictException } from '@nestjs/common';
import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillDemo } from '../../apps/sample/src/demo.js';
import { ShopOrder } from '../../apps/sample/src/shop/shop-order.entity.js';
import { type SampleApp, sampleApp } from './sample-app.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The section with the routes: lines such as `A=http://…`, and commands with the response in a comment below. */
const [, section = ''] = /## The six routes[^]*?```bash\n([^]*?)```/.exec(readme) ?? [];
const addresses = section.match(/^[A-Z]+=http.*$/gm)?.join('\n') ?? '';
const commands = [...section.matchAll(/^(curl [^]*?)\n# (\d+) ?(.*)$/gm)];

/** `…` in a response stands for any characters. */
function matching(body: string): RegExp {
  const texts = body.split('…').map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${texts.join('.*')}$`);
}

async function run(script: string): Promise<[body: string, status: string]> {
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  const [body = '', status = ''] = stdout.split('\n');
  return [body, status];
}

describe('the README', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp();
    await fillDemo(app.nest);
  });
  afterAll(() => app?.close());

  it('shows what its six curl commands print, on the sample', async () => {
    let id = '';

    expect(commands).toHaveLength(6);
    for (const [, command = '', status, expected = ''] of commands) {
      const curl = command.replace('curl', "curl -s -w '\\n%{http_code}'");
      const script = `${addresses}\nID=${id}\n${curl}`.replaceAll('http://127.0.0.1:3000', app.origin);
      const [body, printed] = await run(script);
      id ||= (JSON.parse(body) as { id: string }).id;

      expect([command, printed]).toEqual([command, status]);
      expect(body).toMatch(matching(expected));
    }
  });

  it('begins with a transaction that stores an order and its first event', async () => {
    const dataSource = app.nest.get(DataSource);
    const methods = app.nest.get(ShippingMethodsService);
    const events = app.nest.get(OrderEventsService);
    const { id } = await methods.upsert('acme', {
      carrier_code: 'ups',
      method_code: '03',
      method_label: 'Ground',
      is_active: true,
    });

    const order = { projectId: 'acme', orderId: '1001' };
    const codes = { carrier_code: 'ups', method_code: '03' };
    await dataSource.transaction(async (manager) => {
      const method = await methods.findByCodes('acme', codes, { manager, lock: true });
      if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
      await manager.insert(ShopOrder, { ...order, methodId: method.id });
      await events.record(order, { type: 'order.placed' }, { manager });
    });

    expect(await dataSource.manager.findOneBy(ShopOrder, order)).toMatchObject({ methodId: id });
    expect(await events.findAll(order)).toMatchObject([{ type: 'order.placed' }]);
  });
});
