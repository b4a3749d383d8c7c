import { setTimeout as delay } from 'node:timers/promises';
import { InvalidParameterError, OrderEvents, ShippingMethods, ValidationFailedError } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { engine } from '../support/database.js';
import { addEvents } from '../support/rows.js';

describe.each(adapters)('the events of an order on %s', (adapter) => {
  let app: TestApp;
  let events: OrderEvents;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp({ adapter });
    events = app.nest.get(OrderEvents);
    shop = new Client(app.origin, freshProject());
  });
  afterAll(() => app?.close());

  const typesOf = async (orderId: string): Promise<string[]> =>
    (await shop.events(orderId)).body.data.map(({ type }) => type);

  it('come oldest first, then in the order of recording, with every field', async () => {
    const order = { projectId: shop.project, orderId: 'o-1' };
    const noon = '2026-01-31T12:00:00.5+01:00';

    await events.record({ ...order, type: 'order.paid', occurredAt: new Date('2026-01-31T12:00:00Z') });
    await events.record({ ...order, type: 'order.placed', occurredAt: noon });
    const full = await events.record({
      ...order,
      type: 'x.our_own.kind',
      message: 'Hello',
      data: { a: [1, { b: null }] },
      actor: { type: 'user', id: 'u1', label: 'Ann' },
      occurredAt: noon,
    });
    const { status, headers, body } = await shop.events('o-1');

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.data.map(({ type }) => type)).toEqual(['order.placed', 'x.our_own.kind', 'order.paid']);
    expect(body.data[1]).toEqual(full);
    expect(full).toEqual({
      id: expect.any(String),
      project_id: shop.project,
      order_id: 'o-1',
      type: 'x.our_own.kind',
      message: 'Hello',
      data: { a: [1, { b: null }] },
      actor: { type: 'user', id: 'u1', label: 'Ann' },
      occurred_at: '2026-01-31T11:00:00.500Z',
      recorded_at: expect.stringMatching(/Z$/),
    });
  });

  it('are an empty list for an unknown order and for another project', async () => {
    await events.record({ projectId: shop.project, orderId: 'mine', type: 'order.placed' });
    const stranger = new Client(app.origin, freshProject());

    const answers = [await shop.events('unknown'), await stranger.events('mine')];

    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 2 }, () => [200, '{"data":[]}']),
    );
  });

  it('are complete and in order when they are too many for one read', async () => {
    const orderId = 'long';
    const numbers = Array.from({ length: 1203 }, (_, index) => index);
    const at = new Date('2026-02-01T00:00:00Z');

    for (const n of numbers)
      await events.record({
        projectId: shop.project,
        orderId,
        type: 'note.added',
        message: `${n}`,
        occurredAt: at,
      });
    // Another tenant has an order of the same name.
    const stranger = { projectId: freshProject(), orderId };
    await addEvents(app.database.dataSource.manager, stranger, numbers.length, () => ({
      message: '-1',
      occurredAt: at,
    }));
    const { body } = await shop.events(orderId);

    expect(body.data.map(({ message }) => Number(message))).toEqual(numbers);
  });

  it.each([199, 200, 201, 400])('are complete when there are %i of them', async (count) => {
    const orderId = `of-${count}`;
    const order = { projectId: shop.project, orderId };
    await addEvents(app.database.dataSource.manager, order, count, (n) => ({ message: `${n}` }));
    const numbers = Array.from({ length: count }, (_, index) => `${index + 1}`);

    const { body } = await shop.events(orderId);
    const listed = await events.list(shop.project, orderId);

    expect(body.data.map(({ message }) => message)).toEqual(numbers);
    expect(listed.map(({ message }) => message)).toEqual(numbers);
  });

  it('are all there, in order, when many were recorded in another order than they happened', async () => {
    const orderId = 'imported';
    // The last one first; every ninth happened when the one before it did, and was recorded earlier.
    const numbers = Array.from({ length: 450 }, (_, index) => index);
    const secondOf = (n: number): number => (n % 9 === 8 ? n - 1 : n);
    const order = { projectId: shop.project, orderId };
    await addEvents(app.database.dataSource.manager, order, 450, (place) => {
      const n = 450 - place;
      return { message: `${n}`, occurredAt: new Date(secondOf(n) * 1000) };
    });

    const { body } = await shop.events(orderId);

    expect(body.data.map(({ message }) => Number(message))).toEqual(
      numbers.toSorted((a, b) => secondOf(a) - secondOf(b) || b - a),
    );
  });

  it('are recorded once for each dedupeKey of an order', async () => {
    const event = { projectId: shop.project, type: 'order.paid', dedupeKey: 'payment-1' };

    const first = await events.record({ ...event, orderId: 'once', message: 'first' });
    const replay = await events.record({ ...event, orderId: 'once', message: 'second' });
    await events.record({ ...event, orderId: 'twice' });

    expect(replay).toEqual(first);
    expect(await typesOf('once')).toEqual(['order.paid']);
    expect(await typesOf('twice')).toEqual(['order.paid']);
  });

  it('are different for dedupeKeys that differ in case, in accents or in a blank at the end', async () => {
    const event = { projectId: shop.project, orderId: 'keys', type: 'order.paid' };
    const keys = ['k', 'K', 'k ', 'ḱ', ' k'];

    for (const dedupeKey of keys) await events.record({ ...event, dedupeKey });

    expect(await events.list(shop.project, 'keys')).toHaveLength(keys.length);
  });

  it.each(['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'])(
    'keep the time %s as it was',
    async (occurredAt) => {
      const orderId = `at-${occurredAt.slice(0, 4)}`;

      const { occurred_at } = await events.record({
        projectId: shop.project,
        orderId,
        type: 'a.b',
        occurredAt,
      });

      expect(occurred_at).toBe(occurredAt);
      expect(await events.list(shop.project, orderId)).toMatchObject([{ occurred_at: occurredAt }]);
    },
  );

  it('with the same dedupeKey are separate in each project and order, also when they are recorded again', async () => {
    const event = { orderId: 'shared', type: 'order.paid', dedupeKey: 'payment-1' };
    const mine = await events.record({ ...event, projectId: shop.project, message: 'mine' });
    const stranger = freshProject();

    const theirs = await events.record({ ...event, projectId: stranger, message: 'theirs' });
    const again = await events.record({ ...event, projectId: stranger, message: 'once more' });
    const mineAgain = await events.record({ ...event, projectId: shop.project });

    expect([theirs.project_id, theirs.message]).toEqual([stranger, 'theirs']);
    expect([again, mineAgain]).toEqual([theirs, mine]);
    const other = await events.record({ ...event, projectId: stranger, orderId: 'shared-too' });
    expect(await events.record({ ...event, projectId: stranger, orderId: 'shared-too' })).toEqual(other);
  });

  it('recorded in a transaction have the time when they were recorded, not when it began', async () => {
    const { dataSource } = app.database;
    const event = { projectId: shop.project, orderId: 'timed', type: 'note.added' };

    const { recorded, began } = await dataSource.transaction(async (manager) => {
      const at = await engine.beganAt(manager);
      await delay(20);
      return { began: at, recorded: await events.record(event, { manager }) };
    });

    expect(Date.parse(recorded.recorded_at)).toBeGreaterThan(began.getTime());
    expect(recorded.occurred_at).toBe(recorded.recorded_at);
  });

  it("exist if, and only if, the caller's transaction commits", async () => {
    const { dataSource } = app.database;
    const order = { projectId: shop.project, orderId: 'joined' };

    await expect(
      dataSource.transaction(async (manager) => {
        await events.record({ ...order, type: 'order.placed' }, { manager });
        expect(await events.list(order.projectId, order.orderId, { manager })).toHaveLength(1);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    const afterRollback = await typesOf('joined');
    await dataSource.transaction((manager) => events.record({ ...order, type: 'order.placed' }, { manager }));

    expect(afterRollback).toEqual([]);
    expect(await typesOf('joined')).toEqual(['order.placed']);
  });

  it.each([
    [{ type: 'placed' }, '/type', 'format'],
    [{ type: 'Order.placed' }, '/type', 'format'],
    [{ type: `a.${'b'.repeat(63)}` }, '/type', 'length'],
    [{ type: undefined }, '/type', 'required'],
    [{ type: null }, '/type', 'required'],
    [{ type: 7 }, '/type', 'type'],
    [{ message: 'x'.repeat(1001) }, '/message', 'length'],
    [{ message: 'a\0b' }, '/message', 'format'],
    [{ data: [] }, '/data', 'type'],
    [{ data: { n: 2 ** 53 } }, '/data/n', 'range'],
    [{ data: { at: new Date() } }, '/data/at', 'type'],
    [{ actor: 'Ada' }, '/actor', 'type'],
    [{ actor: {} }, '/actor/type', 'required'],
    [{ actor: { type: null } }, '/actor/type', 'required'],
    [{ actor: { type: 'robot' } }, '/actor/type', 'not_allowed'],
    [{ actor: { type: 'user', name: 'Ada' } }, '/actor/name', 'unknown'],
    [{ actor: { type: 'user', id: 7 } }, '/actor/id', 'type'],
    [{ actor: { type: 'user', id: 'i'.repeat(65) } }, '/actor/id', 'length'],
    [{ actor: { type: 'user', id: 'a\0b' } }, '/actor/id', 'format'],
    [{ actor: { type: 'user', label: 'l'.repeat(256) } }, '/actor/label', 'length'],
    [{ actor: { type: 'user', label: '\uD800' } }, '/actor/label', 'format'],
    [{ dedupeKey: 'a\0b' }, '/dedupeKey', 'format'],
    [{ occurredAt: '2026-02-30T00:00:00Z' }, '/occurredAt', 'format'],
    [{ occurredAt: '2026-02-03T00:00:00' }, '/occurredAt', 'format'],
    [{ occurredAt: new Date(Number.NaN) }, '/occurredAt', 'format'],
    [{ occurredAt: 1_700_000_000_000 }, '/occurredAt', 'type'],
    [{ dedupeKey: 'x'.repeat(129) }, '/dedupeKey', 'length'],
    [{ occurredAt: '9999-12-31T23:59:59-00:01' }, '/occurredAt', 'format'],
    [{ dedupeKey: '' }, '/dedupeKey', 'length'],
    [{ typ: 'order.placed' }, '/typ', 'unknown'],
    [{ 'a/b': 1 }, '/a~1b', 'unknown'],
  ])('cannot be recorded with %j: the violation is at %s (%s)', async (part, pointer, code) => {
    const event = { projectId: shop.project, orderId: 'bad', type: 'order.placed', ...part };

    const recorded = events.record(event as Parameters<OrderEvents['record']>[0]);

    await expect(recorded).rejects.toThrow(ValidationFailedError);
    await expect(recorded).rejects.toMatchObject({ code: 'validation_failed', errors: [{ pointer, code }] });
    expect(await typesOf('bad')).toEqual([]);
  });

  it.each([
    [{ orderId: 17 }, 'orderId', 'type'],
    [{ orderId: undefined }, 'orderId', 'required'],
    [{ projectId: 17 }, 'projectId', 'type'],
    [{ projectId: 'a b' }, 'projectId', 'format'],
  ])('cannot be recorded with %j: the violation names %s (%s)', async (part, parameter, code) => {
    const event = { projectId: shop.project, orderId: 'bad', type: 'order.placed', ...part };

    const recorded = events.record(event as Parameters<OrderEvents['record']>[0]);

    await expect(recorded).rejects.toMatchObject({ errors: [{ parameter, code }] });
  });

  it.each([
    [{ actor: { type: 'robot' } }, '/actor/type', ['user', 'customer', 'app', 'system']],
    [{ actor: { type: 'user', name: 'Ada' } }, '/actor/name', ['type', 'id', 'label']],
    [
      { typ: 'order.placed' },
      '/typ',
      ['projectId', 'orderId', 'type', 'message', 'data', 'actor', 'occurredAt', 'dedupeKey'],
    ],
  ])('refused with %j have a violation at %s that lists what is allowed', async (part, pointer, allowed) => {
    const event = { projectId: shop.project, orderId: 'bad', type: 'order.placed', ...part };

    const recorded = events.record(event as Parameters<OrderEvents['record']>[0]);

    await expect(recorded).rejects.toMatchObject({ errors: [{ pointer, allowed }] });
  });

  it('accept null in every optional field, and every field at its limit', async () => {
    const order = { projectId: shop.project, orderId: 'bounds' };
    const nothing = { message: null, data: null, actor: null, occurredAt: null, dedupeKey: null };
    const actor = { type: 'app' as const, id: 'i'.repeat(64), label: 'l'.repeat(255) };
    const all = { message: 'm'.repeat(1000), data: { a: 1 }, actor, dedupeKey: 'd'.repeat(128) };
    // Two UTF-16 units each, one character.
    const astral = { type: 'user' as const, id: '𝒰'.repeat(64), label: '𝒰'.repeat(255) };

    await events.record({ ...order, type: 'a.b', ...nothing });
    await events.record({ ...order, type: `a.${'b'.repeat(62)}`, ...all });
    await events.record({ ...order, type: 'a.c', actor: astral, dedupeKey: '𝒰'.repeat(128) });

    expect(await events.list(shop.project, 'bounds')).toMatchObject([
      { type: 'a.b', message: null, data: {}, actor: null },
      { message: all.message, data: all.data, actor },
      { type: 'a.c', actor: astral },
    ]);
  });

  it.each([null, 'order.placed', []])('cannot be recorded from %j', async (event) => {
    await expect(events.record(event as never)).rejects.toMatchObject({
      code: 'invalid_parameter',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: '', code: 'type' })]),
    });
  });

  it('keep the millisecond of their time, up to the end of the year 9999', async () => {
    const occurredAt = '9999-12-31T23:59:59.9996Z';

    const { occurred_at } = await events.record({
      projectId: shop.project,
      orderId: 'end',
      type: 'order.placed',
      occurredAt,
    });

    expect(occurred_at).toBe('9999-12-31T23:59:59.999Z');
  });

  it('refuse a bad project id from a sibling module as they do over HTTP, and so do the methods', async () => {
    const methods = app.nest.get(ShippingMethods);

    await expect(events.list('no/such', 'o')).rejects.toThrow(InvalidParameterError);
    await expect(methods.tree('')).rejects.toMatchObject({
      errors: [{ parameter: 'project_id', code: 'required' }],
    });
  });
});
