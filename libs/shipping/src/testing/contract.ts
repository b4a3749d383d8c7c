import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type ShippingMethodTree } from '../shipping-methods/dto/shipping-method.dto.js';
import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { type ContractResponse, ContractClient, type ContractTarget } from './contract-client.js';

/** A promise of the contract. */
export interface ContractCheck {
  /** The promise, for the title of your test. */
  title: string;
  /** Rejects with an AssertionError when the host breaks the promise. */
  run: () => Promise<void>;
}

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** The titles of the checks that a host can leave out. */
const optionalChecks = {
  defaults: 'a method with use_default shows the default by field, and its etag guards both',
  events: 'the events of an order come oldest first',
};

const checks: Record<string, (shop: ContractClient) => Promise<void>> = {
  'create responds with 201 with the whole method, ETag and Location': async (shop) => {
    const meta = { a: [1, { b: null }], type: 'x', toJSON: 'y', text: 'é😀' };
    const sent = { ...ground, method_code: `Std%20<x>,y='1'`, carrier_label: '  UPS  ', meta };
    const { status, headers, body } = await shop.create(sent);
    const { id, created_at } = body;
    const unsent = { is_active: true, sort_order: 0, use_default: false, inherited: [], own: {}, version: 1 };
    const made = { id, project_id: shop.project, etag: '"1"', created_at, updated_at: created_at };
    assert.deepEqual([status, headers.get('etag')], [201, '"1"']);
    assert.equal(headers.get('location'), `${shop.methods}/${id}`);
    assert.deepEqual(body, { ...sent, carrier_label: 'UPS', ...unsent, ...made });
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  },

  'a taken pair of codes is 409 and says whether the retry did no harm': async (shop) => {
    const { body: first } = await shop.create(ground);
    const same = await shop.create(ground);
    const other = await shop.create({ ...ground, method_label: 'Other' });
    assertRefused(same, 409, 'duplicate_method', { existing_id: first.id, identical: true });
    assertRefused(other, 409, 'duplicate_method', { identical: false });
  },

  'nothing in a body is coerced or dropped: every violation is named': async (shop) => {
    const mistyped = { is_active: 'false', sort_order: '1', meta: [] };
    const bad = { ...mistyped, carrier_code: ' ups', method_label: '', carier_label: 'UPS' };
    const refused = await shop.create(bad);
    const violations = refused.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted();
    assertRefused(refused, 400, 'validation_failed');
    assert.deepEqual(violations, [
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
    const refused = await shop.create();
    assertRefused(refused, 400, 'validation_failed');
    assert.equal(refused.body.errors?.length, 3);
  },

  'keys that break serialisers are refused in meta': async (shop) => {
    const { status, body } = await shop.create({ ...ground, meta: { deep: { constructor: 'x' } } });
    assert.deepEqual([status, body.errors?.[0]?.pointer], [400, '/meta/deep/constructor']);
  },

  'the list pages, searches and filters in both spellings': async (shop) => {
    const air = { ...ground, method_code: '01', method_label: 'Air', sort_order: 1 };
    await shop.create({ ...ground, method_label: 'Ground', sort_order: 2 });
    await shop.create(air);
    await shop.create({ ...air, carrier_code: 'dhl', method_label: 'Freight', is_active: false });
    const or =
      '[{"or":[{"field":"sort_order","op":"gt","value":1},{"field":"carrier_code","op":"in","value":["dhl"]}]}]';
    const found = {
      '': ['Freight', 'Air', 'Ground'],
      'q=gR%C3%B6': ['Ground'],
      [`filter=${encodeURIComponent('{"is_active":true,"sort_order":[1]}')}`]: ['Air'],
      'filter[carrier_code]=dhl&filter[carrier_code]=ups&filter[sort_order]=2': ['Ground'],
      [`raw_filters=${encodeURIComponent(or)}`]: ['Freight', 'Ground'],
      'utm_source=x&expand[]=all': ['Freight', 'Air', 'Ground'],
    };
    for (const [query, labels] of Object.entries(found)) {
      const { status, text, body } = await shop.list(query);
      assert.equal(status, 200, `${query}: ${text}`);
      const listed = body.data.map((method) => method.method_label);
      assert.deepEqual(listed, labels, query);
    }
    const { body } = await shop.list('page=2&per_page=2');
    assert.deepEqual(body.meta, { page: 2, per_page: 2, total: 3, total_pages: 2 });
  },

  'a bad query names every parameter': async (shop) => {
    const refused = await shop.list('page=0&per_page=1.5&perPage=1&filter[nothing]=1&q=a&q=b&raw_filters=[');
    const parameters = refused.body.errors?.map(({ parameter }) => parameter).toSorted();
    assertRefused(refused, 400, 'invalid_parameter');
    assert.deepEqual(parameters, ['filter[nothing]', 'page', 'perPage', 'per_page', 'q', 'raw_filters']);
  },

  'the tree has all methods by carrier': async (shop) => {
    await shop.create({ ...ground, is_active: false });
    const { body } = await shop.read<ShippingMethodTree>(`${shop.methods}/tree`);
    const carriers = body.data.map((carrier) => ({ ...carrier, methods: carrier.methods.length }));
    const ups = { carrier_code: 'ups', carrier_label: 'ups', is_active: false, sort_order: 0, methods: 1 };
    assert.deepEqual(carriers, [ups]);
  },

  'an update keeps what is left out, counts real changes, and honours If-Match': async (shop) => {
    const { body: created } = await shop.create({ ...ground, meta: { a: 1 } });
    const changed = await shop.update(created.id, { ...ground, sort_order: 9 }, '"1"');
    const same = await shop.update(created.id, ground);
    const late = await shop.update(created.id, ground, '"1"');
    assert.deepEqual([changed.status, changed.body.meta, changed.body.version], [200, { a: 1 }, 2]);
    assert.deepEqual(same.body, changed.body);
    assert.deepEqual([same.headers.get('etag'), same.body.etag], ['"2"', '"2"']);
    assertRefused(late, 412, 'version_mismatch', { current_version: 2 });
  },

  'list and tree respond with 304 until something changes': async (shop) => {
    for (const url of [shop.methods, `${shop.methods}/tree`]) {
      const first = await shop.read(url);
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      const held = await shop.read(url, headers);
      await shop.create({ ...ground, method_code: String(url.length) });
      const changed = await shop.read(url, headers);
      assert.deepEqual([first.status, held.status, held.text, changed.status], [200, 304, '', 200]);
    }
  },

  'a removed method is gone': async (shop) => {
    const { body } = await shop.create(ground);
    const url = `${shop.methods}/${body.id}`;
    const removed = await shop.send('DELETE', url);
    const again = await shop.send('DELETE', url);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assertRefused(again, 404, 'method_not_found');
  },

  [optionalChecks.defaults]: async (shop) => {
    const defaults = new ContractClient(shop.target, shop.target.defaultsProjectId ?? 'default');
    const codes = { ...ground, method_code: shop.project.slice(0, 100) };
    const form = { ...codes, method_label: 'Default' };
    await defaults.create({ ...form, sort_order: 5, is_active: false });
    const createAndRename = async () => {
      const { body: created } = await shop.create({ ...codes, use_default: true });
      return [created, (await shop.update(created.id, { ...codes, method_label: 'Renamed' })).body] as const;
    };
    const [inheriting, renamed] = await createAndRename().finally(() => defaults.clear());
    const { body: afterRemoval } = await shop.list();
    const late = await shop.update(renamed.id, form, renamed.etag);
    const { method_label, sort_order, is_active, inherited, own } = inheriting;
    assert.deepEqual([method_label, sort_order, is_active], ['Default', 5, false]);
    assert.deepEqual(inherited, ['method_label', 'sort_order', 'meta', 'is_active']);
    assert.deepEqual(own, { method_label: 'UPS Ground', sort_order: 0, meta: {}, is_active: true });
    assert.deepEqual([renamed.method_label, renamed.sort_order], ['Renamed', 5]);
    assert.deepEqual(renamed.use_default, ['carrier_label', 'sort_order', 'meta', 'is_active']);
    const shown = afterRemoval.data.map((method) => [
      method.method_label,
      method.sort_order,
      method.is_active,
    ]);
    assert.deepEqual(shown, [['Renamed', 0, true]]);
    assert.equal(afterRemoval.data[0]?.etag, '"2-none"');
    assertRefused(late, 412, 'version_mismatch', { current_version: 2 });
  },

  [optionalChecks.events]: async (shop) => {
    const { orderEvents } = shop.target;
    const remedy =
      "Add orderEvents: app.get(OrderEventsService), or leave the check out: { without: ['events'] }.";
    assert.ok(orderEvents, `The target has no orderEvents. ${remedy}`);
    const { project } = shop;
    const orderId = randomUUID();
    const data = { constructors: [{ a: 1 }] };
    await orderEvents.record(
      { projectId: project, orderId },
      {
        type: 'order.paid',
        occurred_at: '2026-01-02T00:00:00+14:00',
        data,
      },
    );
    await orderEvents.record(
      { projectId: project, orderId },
      { type: 'order.placed', occurred_at: '2026-01-01T00:00:00Z' },
    );
    const { status, body } = await shop.read<{ data: OrderEventDto[] }>(`${shop.base}/${orderId}/events`);
    const unknown = await shop.read(`${shop.base}/${randomUUID()}/events`);
    assert.deepEqual([status, unknown.status, unknown.body], [200, 200, { data: [] }]);
    const events = body.data.map((event) => [event.type, event.occurred_at, event.data, event.actor]);
    assert.deepEqual(events, [
      ['order.placed', '2026-01-01T00:00:00.000Z', {}, null],
      ['order.paid', '2026-01-01T10:00:00.000Z', data, null],
    ]);
  },
};

/** @param fields the expected fields of the problem in addition to its code */
function assertRefused(
  { status, body }: ContractResponse,
  expected: number,
  code: string,
  fields: object = {},
): void {
  const problem = { code, ...fields };
  const found = Object.fromEntries(Object.keys(problem).map((field) => [field, body[field]]));
  assert.deepEqual({ status, ...found }, { status: expected, ...problem });
}

/** Options of {@link shippingContract}. */
export interface ContractOptions {
  /**
   * The checks to leave out. Leave out `defaults` if the headers give no access to the defaults project, and `events`
   * if the test has no `OrderEventsService`.
   */
  without?: readonly (keyof typeof optionalChecks)[] | undefined;
}

/**
 * Returns the contract as checks of your application. They show whether a guard, a pipe, a serialiser, a filter or the
 * prefix of the application breaks the contract. They work with any test runner. An envelope around the responses is
 * part of your application, not of the contract: `target.unwrap` takes the value out.
 * @param target returns the running application. It is called when a check runs, so a hook may start the application.
 * @example
 * for (const { title, run } of shippingContract(() => target)) it(title, run);
 */
export function shippingContract(
  target: () => ContractTarget,
  { without = [] }: ContractOptions = {},
): ContractCheck[] {
  const leftOut = new Set<string>(without.map((name) => optionalChecks[name]));
  const included = Object.entries(checks).filter(([title]) => !leftOut.has(title));
  return included.map(([title, check]) => {
    const run = async (): Promise<void> => {
      const shop = await ContractClient.of(target());
      await check(shop)
        .catch((error: Error) => {
          if (shop.lastError) error.message += `\nThe last error: ${shop.lastError}`;
          throw error;
        })
        .finally(() => shop.clear());
    };
    return { title, run };
  });
}
