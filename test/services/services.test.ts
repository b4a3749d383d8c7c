import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  DuplicateMethodError,
  MethodNotFoundError,
  OrderEvents,
  type ShippingMethodChange,
  ShippingMethods,
  ShippingModule,
  ValidationFailedError,
  VersionMismatchError,
} from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// The documents show this code.

interface OrderLine {
  sku: string;
  quantity: number;
}

describe('the services as the documents show them', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let methods: ShippingMethods;
  let events: OrderEvents;
  let close: () => Promise<void>;
  let projectId = '';
  beforeAll(async () => {
    database = await testDatabase();
    ({ dataSource } = database);
    const testing = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => database.options,
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
        ShippingModule.forRoot(),
      ],
    }).compile();
    await testing.init();
    methods = testing.get(ShippingMethods);
    events = testing.get(OrderEvents);
    close = () => testing.close();
  });
  afterAll(async () => {
    await close?.();
    await database?.close();
  });
  beforeEach(() => {
    projectId = freshProject();
  });

  it('create a method once', async () => {
    const ground = await methods.create(projectId, {
      carrier_code: 'ups',
      method_code: '03',
      method_label: 'UPS Ground',
    });
    expect(ground.version).toBe(1);

    const again = methods.create(projectId, {
      carrier_code: 'ups',
      method_code: '03',
      method_label: 'UPS Ground',
    });
    const taken = await again.catch((error: unknown) => error);
    expect(taken instanceof DuplicateMethodError && [taken.existingId, taken.identical]).toEqual([
      ground.id,
      true,
    ]);
    await expect(
      methods.create(projectId, { carrier_code: ' ', method_code: '', method_label: 'x' }),
    ).rejects.toBeInstanceOf(ValidationFailedError);
  });

  it('update, upsert and remove a method', async () => {
    const codes = { carrier_code: 'ups', method_code: '03' };
    const { id } = await methods.upsert(projectId, { ...codes, method_label: 'Ground' });
    const upserted = await methods.upsert(projectId, { ...codes, method_label: 'UPS Ground' });
    expect(upserted).toMatchObject({ id, version: 2 });

    const updated = await methods.update(
      projectId,
      id,
      { ...codes, method_label: 'UPS Ground', is_active: false },
      { etag: upserted.etag },
    );
    expect(updated).toMatchObject({ is_active: false, version: 3 });
    const late = methods.update(projectId, id, { ...codes, method_label: 'Late' }, { etag: '"2"' });
    await expect(late).rejects.toBeInstanceOf(VersionMismatchError);

    const removed = await methods.remove(projectId, id);
    expect(removed.version).toBe(3);
    await expect(methods.remove(projectId, id)).rejects.toBeInstanceOf(MethodNotFoundError);
  });

  it('read methods in five ways', async () => {
    const ground = await methods.create(projectId, {
      carrier_code: 'ups',
      method_code: '03',
      method_label: 'UPS Ground',
    });

    const page = await methods.list(projectId, {
      q: 'ground',
      filter: { carrier_code: ['ups', 'dhl'] },
      raw_filters: [{ field: 'sort_order', op: 'lt', value: 10 }],
    });
    expect(page.meta).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });

    const tree = await methods.tree(projectId);
    expect(tree.data.map(({ carrier_code }) => carrier_code)).toEqual(['ups']);

    const offered = await methods.findActive(projectId);
    expect(offered).toEqual([ground]);

    const found = await methods.findByCodes(projectId, 'ups', '03');
    expect(found).toEqual(ground);
    const none = await methods.findByCodes(projectId, 'ups', '99');
    expect(none).toBeNull();
    expect(await methods.find(projectId, ground.id)).toEqual(ground);
    expect(await methods.findOrFail(projectId, ground.id)).toEqual(ground);
    expect(await methods.find(projectId, 'none')).toBeNull();
  });

  it('report a change after the commit', async () => {
    const seen: ShippingMethodChange['type'][] = [];
    const subscription = methods.changes.subscribe(({ type }) => seen.push(type));

    await dataSource.transaction(async (manager) => {
      await methods.create(
        projectId,
        { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' },
        { manager },
      );
      expect(seen).toEqual([]);
    });

    expect(seen).toEqual(['created']);
    subscription.unsubscribe();
  });

  it('record the beginning of a long text', async () => {
    const email = `Dear Ada,\r\n${'🚚'.repeat(5000)}`;

    await dataSource.transaction(async (manager) => {
      const message = Array.from(email).slice(0, 4000).join('');
      await events.record(projectId, '1002', { type: 'note.added', message }, { manager });
    });

    const [note] = await events.list(projectId, '1002');
    expect(note?.message).toBe(`Dear Ada,\r\n${'🚚'.repeat(3989)}`);
  });

  it('record, list and stream events', async () => {
    const lines: OrderLine[] = [{ sku: 'a-1', quantity: 2 }];
    const orderId = '1001';

    const placed = await dataSource.transaction(async (manager) => {
      // … the order's own row …
      return events.record(
        projectId,
        orderId,
        {
          type: 'order.placed',
          data: { lines },
          actor: { type: 'customer', id: 'c-518' },
          dedupe_key: 'placed',
        },
        { manager },
      );
    });
    expect(placed).toMatchObject({ data: { lines }, repeated: false });

    const replayed = await events.record(projectId, orderId, { type: 'order.placed', dedupe_key: 'placed' });
    expect(replayed).toEqual({ ...placed, repeated: true });

    const history = await events.list(projectId, orderId);
    const { repeated: _repeated, ...stored } = placed;
    expect(history).toEqual([stored]);

    for await (const event of events.stream(projectId, orderId)) {
      expect(event).toEqual(stored);
    }

    const { events: latest, next } = await events.page(projectId, orderId, {
      types: ['order.placed', 'order.paid'],
      newestFirst: true,
    });
    expect({ latest, next }).toEqual({ latest: [stored], next: null });
  });
});
