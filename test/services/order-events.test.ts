import { setTimeout as delay } from 'node:timers/promises';
import { ValidationFailedError } from 'nestjs-shipping';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { Client, freshProject } from '../support/client.js';
import { engine } from '../support/database.js';
import { addEvents } from '../support/rows.js';

describe('the events of an order', () => {
  const host = mounted();
  let shop: Client;
  beforeAll(async () => {
    shop = host.shop();
  });

  const typesOf = async (orderId: string): Promise<string[]> =>
    (await shop.events(orderId)).body.data.map(({ type }) => type);

  it('come oldest first, then in the order of recording', async () => {
    const noon = '2026-01-31T12:00:00.5+01:00';

    await host.events.record(shop.project, 'o-1', {
      type: 'order.paid',
      occurred_at: new Date('2026-01-31T12:00:00Z'),
    });
    await host.events.record(shop.project, 'o-1', { type: 'order.placed', occurred_at: noon });
    const full = await host.events.record(shop.project, 'o-1', {
      type: 'x.our_own.kind',
      message: 'Hello',
      data: { a: [1, { b: null }] },
      actor: { type: 'user', id: 'u1', label: 'Ann' },
      occurred_at: noon,
    });
    const { status, headers, body } = await shop.events('o-1');

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.data.map(({ type }) => type)).toEqual(['order.placed', 'x.our_own.kind', 'order.paid']);
    expect(full).toEqual({ ...body.data[1], repeated: false });
    expect(body.data[1]).toEqual({
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

  it('are stored without the members that a cart does not have, and with the ISO text of a Date', async () => {
    const cart: { coupon?: string; placed: Date } = { placed: new Date('2026-01-31T12:00:00Z') };
    const { coupon, placed } = cart;

    const recorded = await host.events.record(shop.project, 'o-cart', {
      type: 'order.placed',
      message: undefined,
      data: { coupon, placed, lines: [{ gift: coupon }] },
    });

    expect(recorded.data).toStrictEqual({ placed: '2026-01-31T12:00:00.000Z', lines: [{}] });
    expect((await shop.events('o-cart')).body.data).toMatchObject([{ data: recorded.data }]);
  });

  it.each([200, 201])('are complete when there are %i of them', async (count) => {
    const orderId = `of-${count}`;
    const order = { projectId: shop.project, orderId };
    await addEvents(host.dataSource.manager, order, count, (n) => ({ message: `${n}` }));
    const numbers = Array.from({ length: count }, (_, index) => `${index + 1}`);

    const { body } = await shop.events(orderId);
    const listed = await host.events.list(shop.project, orderId);

    expect(body.data.map(({ message }) => message)).toEqual(numbers);
    expect(listed.map(({ message }) => message)).toEqual(numbers);
  });

  it('are in order when they were recorded in another order than they happened', async () => {
    const orderId = 'imported';
    // The last event is recorded first. Each ninth event has the time of the event before it, and was recorded earlier.
    const numbers = Array.from({ length: 450 }, (_, index) => index);
    const secondOf = (n: number): number => (n % 9 === 8 ? n - 1 : n);
    const order = { projectId: shop.project, orderId };
    await addEvents(host.dataSource.manager, order, 450, (place) => {
      const n = 450 - place;
      return { message: `${n}`, occurredAt: new Date(secondOf(n) * 1000) };
    });

    const { body } = await shop.events(orderId);

    expect(body.data.map(({ message }) => Number(message))).toEqual(
      numbers.toSorted((a, b) => secondOf(a) - secondOf(b) || b - a),
    );
  });

  it('are not repeated for dedupe_keys that differ in case, accents or blanks', async () => {
    const keys = ['k', 'K', 'k ', 'ḱ', ' k'];

    for (const dedupe_key of keys)
      await host.events.record(shop.project, 'keys', { type: 'order.paid', dedupe_key });

    expect(await host.events.list(shop.project, 'keys')).toHaveLength(keys.length);
  });

  it('of one dedupe_key are separate in each project', async () => {
    const event = { type: 'order.paid', dedupe_key: 'payment-1' };
    const stranger = freshProject();

    const mine = await host.events.record(shop.project, 'shared', event);
    const theirs = await host.events.record(stranger, 'shared', event);

    expect([mine.project_id, theirs.project_id]).toEqual([shop.project, stranger]);
    expect(await host.events.record(stranger, 'shared', event)).toEqual({
      ...theirs,
      repeated: true,
    });
  });

  it('of one dedupe_key are separate in each order, even when they are repeated', async () => {
    const event = { type: 'order.paid', dedupe_key: 'payment-2' };

    const one = await host.events.record(shop.project, 'one', event);
    const two = await host.events.record(shop.project, 'two', event);

    expect(await host.events.record(shop.project, 'one', event)).toEqual({ ...one, repeated: true });
    expect(await host.events.record(shop.project, 'two', event)).toEqual({ ...two, repeated: true });
  });

  it.each([
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59.9996Z', '9999-12-31T23:59:59.999Z'],
  ])('keep the millisecond of their time: %s', async (time, kept) => {
    const orderId = `at-${time.slice(0, 4)}`;

    const { occurred_at } = await host.events.record(shop.project, orderId, {
      type: 'a.b',
      occurred_at: time,
    });

    expect(occurred_at).toBe(kept);
    expect(await host.events.list(shop.project, orderId)).toMatchObject([{ occurred_at: kept }]);
  });

  it('have the time of the record, not the time at which their transaction began', async () => {
    const { dataSource } = host.app.database;
    const event = [shop.project, 'timed', { type: 'note.added' }] as const;

    const { recorded, began } = await dataSource.transaction(async (manager) => {
      const at = await engine.beganAt(manager);
      await delay(20);
      return { began: at, recorded: await host.events.record(...event, { manager }) };
    });

    expect(Date.parse(recorded.recorded_at)).toBeGreaterThan(began.getTime());
    expect(recorded.occurred_at).toBe(recorded.recorded_at);
  });

  it('accept null in every optional field, and every field at its limit', async () => {
    const nothing = { message: null, data: null, actor: null, occurred_at: null, dedupe_key: null };
    const actor = { type: 'app' as const, id: 'i'.repeat(64), label: 'l'.repeat(255) };
    const all = { message: 'm'.repeat(4000), data: { a: 1 }, actor, dedupe_key: 'd'.repeat(128) };
    // Each of these characters has two UTF-16 units.
    const astral = { type: 'user' as const, id: '𝒰'.repeat(64), label: '𝒰'.repeat(255) };

    await host.events.record(shop.project, 'bounds', { type: 'a.b', ...nothing });
    await host.events.record(shop.project, 'bounds', { type: `a.${'b'.repeat(62)}`, ...all });
    await host.events.record(shop.project, 'bounds', {
      type: 'a.c-d.0',
      message: `\r\n\t${'🚚'.repeat(3996)}\n`,
      actor: astral,
      dedupe_key: '𝒰'.repeat(128),
    });

    expect(await host.events.list(shop.project, 'bounds')).toMatchObject([
      { type: 'a.b', message: null, data: {}, actor: null },
      { message: all.message, data: all.data, actor },
      { type: 'a.c-d.0', message: `\r\n\t${'🚚'.repeat(3996)}\n`, actor: astral },
    ]);
  });

  it('are not stored when they have a violation', async () => {
    const event = [shop.project, 'bad', { type: 'placed' }] as const;

    await expect(host.events.record(...event)).rejects.toThrow(ValidationFailedError);

    expect(await typesOf('bad')).toEqual([]);
  });
});
