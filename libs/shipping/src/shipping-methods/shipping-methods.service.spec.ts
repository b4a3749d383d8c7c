import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../shipping.options.js';
import { BatchedMethods } from '../storage/batched-methods.js';
import { type Inserted, MethodStore, type NewMethod } from '../storage/shipping-storage.js';
import { type Scope, Transactions } from '../storage/transactions.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { MethodReads } from './method-reads.js';
import { ShippingMethods } from './shipping-methods.service.js';

const unused = (): Promise<never> => Promise.reject(new Error('Only creates are tried here.'));

/** Its project is locked until the test ends the first create that runs alone. */
class LockedStore extends MethodStore {
  readonly sharedBy: number[] = [];
  alone = 0;
  end: (() => void) | undefined;
  private isLocked = true;

  override async insert(methods: readonly NewMethod[], scope: Scope): Promise<Inserted[]> {
    if (scope === 'shared') {
      if (this.isLocked) return methods.map(() => 'lost');
      this.sharedBy.push(methods.length);
      return methods.map(({ id }) => ({ id }) as ShippingMethodDto);
    }
    this.alone++;
    if (this.isLocked) await new Promise<void>((resolve) => (this.end = resolve));
    this.isLocked = false;
    return methods.map(({ id }) => ({ id }) as ShippingMethodDto);
  }

  find = () => Promise.resolve([]);
  page = unused;
  tree = unused;
  revisions = unused;
  replace = unused;
  delete = unused;
}

describe('creates that have to wait for a lock on their project', () => {
  it('share their statements again when it is free, also with creates that come meanwhile', async () => {
    const store = new LockedStore();
    const transactions = new Transactions(new DataSource({ type: 'postgres' }));
    const batched = new BatchedMethods(store);
    const settings = settingsOf({});
    const reads = new MethodReads(store, batched, settings);
    const methods = new ShippingMethods(transactions, store, batched, reads, settings);
    let made = 0;
    const create = async (): Promise<void> => {
      await methods.create('a', { carrier_code: 'ups', method_code: `${made++}`, method_label: 'UPS' });
    };
    /** Creates one method after another. */
    const client = async (): Promise<void> => {
      for (let each = 0; each < 5; each++) await create();
    };

    const clients = Promise.all([client(), client(), client(), client()]);
    while (!store.end) await new Promise((resolve) => setImmediate(resolve));
    store.end();
    await clients;

    expect(store.alone).toBe(1);
    expect(store.sharedBy.reduce((all, each) => all + each)).toBe(19);
    expect(Math.max(...store.sharedBy)).toBeGreaterThan(1);
  });
});
