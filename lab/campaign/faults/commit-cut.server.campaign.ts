import { orderIdOf } from '../../../apps/sample/src/shop/checkout.service.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, freshProject, ground } from '../../../test/support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { type Cut } from '../../../test/support/proxy.js';
import { ProxiedHost } from './proxied-host.js';

const cuts = sized({ ci: 40, long: 500 });
const moments: readonly Cut[] = ['before', 'during', 'after'];

interface Outcome {
  code: unknown;
  status: number;
  /** Whether the write has exactly one effect after a retry. */
  isOne: boolean;
}

describe('a connection that is cut around the commit', () => {
  let host: ProxiedHost;
  beforeAll(async () => {
    host = await ProxiedHost.start();
  });
  afterAll(() => host?.close());

  it('gets outcome_unknown, and a retry leads to one row', async () => {
    const outcomes: (Outcome & { at: Cut })[] = [];
    for (let index = 0; index < cuts; index++) {
      const at = moments[index % moments.length] ?? 'during';
      const write = [cutCreate, cutUpdate, cutRemove, cutOrder][index % 4] ?? cutCreate;
      outcomes.push({ at, ...(await write(host.shop(freshProject()), at)) });
    }

    const unknown = outcomes.filter(
      ({ status, code }) => status === 503 && code === 'outcome_unknown',
    ).length;
    const one = outcomes.filter(({ isOne }) => isOne).length;
    expect(host.proxy.cuts).toBe(cuts);
    expect(host.sample.isAlive).toBe(true);
    report({
      name: 'connection cut around COMMIT',
      done: `${counted(cuts)} cuts: ${unknown} outcome_unknown, ${one} converged on one row`,
      criterion: 'each outcome_unknown, a retry converges on one row',
      met: unknown === cuts && one === cuts,
    });
  });

  async function cutCreate(shop: Client, at: Cut): Promise<Outcome> {
    host.proxy.cutOnceAt(/COMMIT/, at);
    const { status, body } = await shop.create(ground);
    const again = await shop.create(ground);
    const { data } = (await shop.list()).body;
    const retried = again.status === 201 || (again.status === 409 && again.body['identical'] === true);
    return { status, code: body.code, isOne: retried && data.length === 1 };
  }

  async function cutUpdate(shop: Client, at: Cut): Promise<Outcome> {
    const { body: method } = await shop.create(ground);
    const changed = { ...ground, method_label: 'Changed' };
    host.proxy.cutOnceAt(/COMMIT/, at);
    const { status, body } = await shop.update(method.id, changed, { 'if-match': '"1"' });
    const again = await shop.update(method.id, changed, { 'if-match': '"1"' });
    const [found] = (await shop.list()).body.data;
    const retried = again.status === 200 || again.status === 412;
    return {
      status,
      code: body.code,
      isOne: retried && found?.version === 2 && found.method_label === 'Changed',
    };
  }

  async function cutRemove(shop: Client, at: Cut): Promise<Outcome> {
    const { body: method } = await shop.create(ground);
    host.proxy.cutOnceAt(/COMMIT/, at);
    const { status, body } = await shop.remove(method.id);
    const again = await shop.remove(method.id);
    const { data } = (await shop.list()).body;
    return { status, code: body.code, isOne: [204, 404].includes(again.status) && data.length === 0 };
  }

  async function cutOrder(shop: Client, at: Cut): Promise<Outcome> {
    await shop.create(ground);
    const choice = { carrier_code: 'ups', method_code: '03' };
    const place = () =>
      shop.send<{ code?: string }>('POST', `/shops/${shop.project}/orders`, choice, {
        'idempotency-key': '1',
      });
    host.proxy.cutOnceAt(/COMMIT/, at);
    const { status, body } = await place();
    const again = await place();
    const { data } = (await shop.events(orderIdOf('1'))).body;
    return { status, code: body.code, isOne: again.status === 201 && data.length === 2 };
  }
});
