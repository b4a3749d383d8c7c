import assert from 'node:assert/strict';
import {
  type ShippingMethodDto as Method,
  type ShippingMethodPage as Page,
  type ShippingTree as Tree,
} from '../shipping-methods/dto/shipping-method.dto.js';
import { type OrderEvents } from '../order-events/order-events.service.js';
import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { ContractClient, type ContractTarget, type Refusal } from './contract-client.js';

/** A promise of the contract. */
export interface ContractCheck {
  title: string;
  /** True for a check that the host has left out: show it as skipped. */
  skipped: boolean;
  /** Rejects with an AssertionError when the host breaks the promise, and for a check that is skipped. */
  run: () => Promise<void>;
}

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const promises: Record<string, (shop: ContractClient) => Promise<void>> = {
  'create answers 201 with the whole method, ETag and Location': async (shop) => {
    const meta = { a: [1, { b: null }], type: 'x', toJSON: 'y', text: 'é😀' };
    const sent = { ...ground, carrier_label: '  UPS  ', meta };
    const { status, headers, body } = await shop.send<Method>('POST', shop.methods, sent);
    assert.equal(status, 201);
    assert.deepEqual(body, {
      id: body.id,
      project_id: shop.project,
      ...ground,
      carrier_label: 'UPS',
      is_active: true,
      sort_order: 0,
      meta,
      use_default: false,
      inherited: [],
      own: {},
      version: 1,
      etag: '"1"',
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(body.created_at) - Date.now()) < 60_000, 'created_at is now');
    assert.equal(headers.get('etag'), '"1"');
    assert.equal(headers.get('location'), `${shop.methods}/${body.id}`);
  },

  'a taken pair of codes is 409 and says whether the retry was safe': async (shop) => {
    const { body: first } = await shop.send<Method>('POST', shop.methods, ground);
    const same = await shop.send<Refusal>('POST', shop.methods, ground);
    const other = await shop.send<Refusal>('POST', shop.methods, { ...ground, method_label: 'Other' });
    assert.deepEqual([same.status, same.body.code], [409, 'duplicate_method']);
    assert.deepEqual([same.body['existing_id'], same.body['identical']], [first.id, true]);
    assert.equal(other.body['identical'], false);
  },

  'nothing in a body is coerced or dropped: every fault is named': async (shop) => {
    const bad = {
      carrier_code: ' ups',
      method_label: '',
      is_active: 'false',
      sort_order: '1',
      meta: [],
      carier_label: 'UPS',
    };
    const { status, body } = await shop.send<Refusal>('POST', shop.methods, bad);
    assert.deepEqual([status, body.code], [400, 'validation_failed']);
    assert.deepEqual(body.errors?.map((error) => `${error.pointer} ${error.code}`).toSorted(), [
      '/carier_label unknown',
      '/carrier_code format',
      '/is_active type',
      '/meta type',
      '/method_code required',
      '/method_label length',
      '/sort_order type',
    ]);
  },

  'a body that is missing is an empty one': async (shop) => {
    const { status, body } = await shop.send<Refusal>('POST', shop.methods);
    assert.deepEqual([status, body.code, body.errors?.length], [400, 'validation_failed', 3]);
  },

  'keys that break serialisers are refused in meta': async (shop) => {
    const meta = { deep: { constructor: 'x' } };
    const { status, body } = await shop.send<Refusal>('POST', shop.methods, { ...ground, meta });
    assert.deepEqual([status, body.errors?.[0]?.pointer], [400, '/meta/deep/constructor']);
  },

  'the list pages, searches and filters in both spellings': async (shop) => {
    const labels: Record<string, Partial<Method>> = {
      Ground: { sort_order: 2 },
      Air: { sort_order: 1 },
      Freight: { sort_order: 1, is_active: false, carrier_code: 'dhl' },
    };
    for (const [method_label, more] of Object.entries(labels)) {
      await shop.send('POST', shop.methods, { ...ground, method_code: method_label, method_label, ...more });
    }
    const list = async (query: string): Promise<string[]> => {
      const { status, text, body } = await shop.send<Page>('GET', `${shop.methods}?${query}`);
      assert.equal(status, 200, `${query}: ${text}`);
      return body.data.map((method) => method.method_label);
    };
    const raw = encodeURIComponent(
      JSON.stringify([
        {
          or: [
            { field: 'sort_order', op: 'gt', value: 1 },
            { field: 'carrier_code', op: 'in', value: ['dhl'] },
          ],
        },
      ]),
    );
    assert.deepEqual(await list(''), ['Freight', 'Air', 'Ground']);
    assert.deepEqual(await list('q=gRo'), ['Ground']);
    assert.deepEqual(await list(`filter=${encodeURIComponent('{"is_active":true,"sort_order":[1]}')}`), [
      'Air',
    ]);
    assert.deepEqual(await list('filter[carrier_code]=dhl&filter[carrier_code]=ups&filter[sort_order]=2'), [
      'Ground',
    ]);
    assert.deepEqual(await list(`raw_filters=${raw}`), ['Freight', 'Ground']);
    assert.deepEqual(await list('utm_source=x&expand[]=all'), ['Freight', 'Air', 'Ground']);
    const { body } = await shop.send<Page>('GET', `${shop.methods}?page=2&per_page=2`);
    assert.deepEqual(body.meta, { page: 2, per_page: 2, total: 3, total_pages: 2 });
  },

  'a bad query names every parameter': async (shop) => {
    const query = 'page=0&per_page=1.5&filter[nothing]=1&q=a&q=b&raw_filters=[';
    const { status, body } = await shop.send<Refusal>('GET', `${shop.methods}?${query}`);
    assert.deepEqual([status, body.code], [400, 'invalid_parameter']);
    assert.deepEqual(body.errors?.map(({ parameter }) => parameter).toSorted(), [
      'filter[nothing]',
      'page',
      'per_page',
      'q',
      'raw_filters',
    ]);
  },

  'the tree has all methods by carrier': async (shop) => {
    await shop.send('POST', shop.methods, { ...ground, is_active: false });
    const { body } = await shop.send<Tree>('GET', `${shop.methods}/tree`);
    const [carrier] = body.data;
    assert.equal(body.data.length, 1);
    assert.deepEqual(
      { ...carrier, methods: carrier?.methods.length },
      { carrier_code: 'ups', carrier_label: 'ups', is_active: false, sort_order: 0, methods: 1 },
    );
  },

  'an update keeps what is left out, counts real changes, and honours If-Match': async (shop) => {
    const { body: created } = await shop.send<Method>('POST', shop.methods, { ...ground, meta: { a: 1 } });
    const url = `${shop.methods}/${created.id}`;
    const changed = await shop.send<Method>(
      'PATCH',
      url,
      { ...ground, sort_order: 9 },
      { 'if-match': '"1"' },
    );
    const same = await shop.send<Method>('PATCH', url, ground);
    const late = await shop.send<Refusal>('PATCH', url, ground, { 'if-match': '"1"' });
    assert.deepEqual([changed.status, changed.body.meta, changed.body.version], [200, { a: 1 }, 2]);
    assert.deepEqual(same.body, changed.body);
    assert.deepEqual([same.headers.get('etag'), same.body.etag], ['"2"', '"2"']);
    assert.deepEqual(
      [late.status, late.body.code, late.body['current_version']],
      [412, 'version_mismatch', 2],
    );
  },

  'list and tree answer 304 until something changes': async (shop) => {
    for (const url of [shop.methods, `${shop.methods}/tree`]) {
      const first = await shop.send('GET', url);
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      const held = await shop.send('GET', url, undefined, headers);
      await shop.send('POST', shop.methods, { ...ground, method_code: String(url.length) });
      const changed = await shop.send('GET', url, undefined, headers);
      assert.deepEqual([first.status, held.status, held.text, changed.status], [200, 304, '', 200]);
    }
  },

  'a removed method is gone, and was never in another project': async (shop) => {
    const { body } = await shop.send<Method>('POST', shop.methods, ground);
    const url = `${shop.methods}/${body.id}`;
    const removed = await shop.send('DELETE', url);
    const again = await shop.send<Refusal>('DELETE', url);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assert.deepEqual([again.status, again.body.code], [404, 'method_not_found']);
  },
};

async function inheritance(target: ContractTarget, defaultsProjectId: string): Promise<void> {
  const shop = new ContractClient(target);
  const defaults = new ContractClient(target, defaultsProjectId);
  const codes = { ...ground, method_code: shop.project.slice(0, 100) };
  const { body: origin } = await defaults.send<Method>('POST', defaults.methods, {
    ...codes,
    method_label: 'Default',
    sort_order: 5,
  });
  const { body: follower } = await shop.send<Method>('POST', shop.methods, { ...codes, use_default: true });
  await defaults.send('DELETE', `${defaults.methods}/${origin.id}`);
  const { body: alone } = await shop.send<Page>('GET', shop.methods);
  const form = [`${shop.methods}/${follower.id}`, { ...codes, method_label: 'Default' }] as const;
  const late = await shop.send<Refusal>('PATCH', ...form, { 'if-match': follower.etag });
  assert.deepEqual([follower.method_label, follower.sort_order], ['Default', 5]);
  assert.deepEqual(follower.inherited, ['method_label', 'sort_order', 'meta']);
  assert.deepEqual(follower.own, { method_label: 'UPS Ground', sort_order: 0, meta: {} });
  assert.equal(alone.data[0]?.method_label, 'UPS Ground');
  assert.deepEqual([late.status, late.body.code, late.body['current_version']], [412, 'version_mismatch', 1]);
}

async function history(orderEvents: OrderEvents, target: ContractTarget): Promise<void> {
  const shop = new ContractClient(target);
  const order = { projectId: shop.project, orderId: 'order-1' };
  const data = { constructors: [{ a: 1 }] };
  await orderEvents.record({ ...order, type: 'order.paid', occurredAt: '2026-01-02T00:00:00+14:00', data });
  await orderEvents.record({ ...order, type: 'order.placed', occurredAt: '2026-01-01T00:00:00Z' });
  const { status, body } = await shop.send<{ data: OrderEventDto[] }>('GET', `${shop.base}/order-1/events`);
  const unknown = await shop.send('GET', `${shop.base}/order-2/events`);
  assert.deepEqual([status, unknown.text], [200, '{"data":[]}']);
  assert.deepEqual(
    body.data.map((event) => [event.type, event.occurred_at, event.data, event.actor]),
    [
      ['order.placed', '2026-01-01T00:00:00.000Z', {}, null],
      ['order.paid', '2026-01-01T10:00:00.000Z', data, null],
    ],
  );
}

/** Checks that a target may be unable to take, each with what it needs of the target. */
const demanding = {
  defaults: {
    title: 'a method with use_default presents the default, and its etag guards both',
    run: (target: ContractTarget) => inheritance(target, target.defaultsProjectId ?? 'default'),
  },
  events: {
    title: 'the events of an order come oldest first',
    run: async (target: ContractTarget) => {
      assert.ok(
        target.orderEvents,
        "The target has no orderEvents. Add orderEvents: app.get(OrderEvents), or leave the check out: { without: ['events'] }.",
      );
      await history(target.orderEvents, target);
    },
  },
};

export interface ContractOptions {
  /**
   * Checks that this host cannot take. `defaults`: the headers do not open the defaults project. `events`: the
   * tests have no `OrderEvents`. They come back as `skipped`.
   */
  without?: readonly (keyof typeof demanding)[];
}

/**
 * The contract as checks against a host's own mounted app: run them to learn that its guards, pipes,
 * serialisers, filters and prefix left the contract whole. Works with any test runner:
 * `for (const { title, skipped, run } of shippingContract(() => target)) (skipped ? it.skip : it)(title, run);`
 * @param target asked when a check runs, so that the app may start in a hook before
 */
export function shippingContract(
  target: () => ContractTarget,
  { without = [] }: ContractOptions = {},
): ContractCheck[] {
  const checks = Object.entries(promises).map(([title, keep]) => ({
    title,
    skipped: false,
    run: () => keep(new ContractClient(target())),
  }));
  const others = Object.entries(demanding).map(([name, { title, run }]) => {
    const skipped = without.some((left) => left === name);
    const leftOut = new Error(`This check is left out by { without: ['${name}'] }: give it to it.skip.`);
    return { title, skipped, run: () => (skipped ? Promise.reject(leftOut) : run(target())) };
  });
  return [...checks, ...others];
}
