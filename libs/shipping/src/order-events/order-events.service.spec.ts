import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { queueOf } from '../storage/keyed-queue.js';
import { EventStore } from '../storage/shipping-storage.js';
import { DatabaseUnavailableError } from '../storage/storage.errors.js';
import { type Scope, Transactions } from '../storage/transactions.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { type CheckedOrderEvent } from './dto/record-order-event.dto.js';
import { OrderEvents } from './order-events.service.js';

/** All of its keys are held, as if by open transactions. The test ends each waiting call. */
class HeldStore extends EventStore {
  readonly waiting = new Map<string, () => void>();

  append({ project_id, order_id }: CheckedOrderEvent, scope: Scope): Promise<OrderEventDto> {
    if (scope === 'shared')
      return Promise.reject(new DatabaseUnavailableError(new Error('The key is held.'), 'lock'));
    return new Promise((resolve) => {
      const event = { project_id, order_id } as OrderEventDto;
      this.waiting.set(`${project_id} ${order_id}`, () => resolve(event));
    });
  }

  batch(): Promise<never> {
    return Promise.reject(new Error('Nothing is read here.'));
  }
}

describe('events whose dedupeKey an open transaction holds', () => {
  it('wait one at a time in each project, and in no project for those of another one', async () => {
    const store = new HeldStore();
    const events = new OrderEvents(new Transactions(new DataSource({ type: 'postgres' })), store);
    const record = (projectId: string, orderId: string): Promise<OrderEventDto> =>
      events.record({ projectId, orderId, type: 'order.paid', dedupeKey: 'once' });
    const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

    const all = [record('a', '1'), record('a', '2'), record('b', '1')];
    await settled();
    const first = [...store.waiting.keys()];
    expect(first).toEqual(['a 1', 'b 1']);
    store.waiting.get('b 1')?.();
    await all[2];
    store.waiting.get('a 1')?.();
    await settled();
    const next = [...store.waiting.keys()].slice(first.length);
    store.waiting.get('a 2')?.();

    expect(next).toEqual(['a 2']);
    expect(await Promise.all(all)).toMatchObject([{ order_id: '1' }, { order_id: '2' }, { project_id: 'b' }]);
  });

  it('do not wait for changes of methods in their project', async () => {
    const store = new HeldStore();
    const dataSource = new DataSource({ type: 'postgres' });
    const events = new OrderEvents(new Transactions(dataSource), store);
    let end = (): void => undefined;
    const change = queueOf(dataSource).take('a', () => new Promise<void>((resolve) => (end = resolve)));

    const recorded = events.record({ projectId: 'a', orderId: '1', type: 'order.paid', dedupeKey: 'once' });
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = [...store.waiting.keys()];
    end();
    await change;
    await new Promise((resolve) => setImmediate(resolve));
    store.waiting.get('a 1')?.();

    expect(waiting).toEqual(['a 1']);
    await expect(recorded).resolves.toMatchObject({ order_id: '1' });
  });
});
