import { type TestingModule } from '@nestjs/testing';
import {
  OrderEventsService,
  ShippingMethodsService,
  ShippingModule,
  ValidationFailedError,
} from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// docs/guide/imports.md shows this code.

describe('the code of the guide to imports', () => {
  let database: TestDatabase;
  let testing: TestingModule;
  let dataSource: DataSource;
  let methods: ShippingMethodsService;
  let events: OrderEventsService;
  beforeAll(async () => {
    database = await testDatabase();
    testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    await testing.init();
    dataSource = testing.get(DataSource);
    methods = testing.get(ShippingMethodsService);
    events = testing.get(OrderEventsService);
  });
  afterAll(async () => {
    await testing?.close();
    await database?.close();
  });

  it('imports all lines or none', async () => {
    const projectId = 'acme';
    const csv = 'ups;03;UPS Ground\nups;01;UPS Express\n';

    const lines = csv.trim().split('\n');
    const requests = lines.map((line) => {
      const [carrier_code = '', method_code = '', method_label = ''] = line.split(';');
      return { carrier_code, method_code, method_label };
    });
    const { changes } = await methods.upsertMany(projectId, requests, { removeOthers: true, maxRemoved: 20 });
    const count = (type: string) => changes.filter((change) => change.type === type).length;
    const summary = `${count('created')} created, ${count('updated')} updated, ${count('removed')} removed`;

    expect(summary).toBe('2 created, 0 updated, 0 removed');
    expect((await methods.upsertMany(projectId, requests)).changes).toEqual([]);
    const bad = methods.upsertMany(projectId, [...requests, { ...requests[0]!, method_label: '' }]);
    const error = await bad.catch((thrown: unknown) => thrown);
    expect((error as ValidationFailedError).violations).toMatchObject([
      { index: 2, pointer: '/2/method_label', code: 'length' },
      { index: 2, pointer: '/2', code: 'duplicate' },
    ]);
  });

  it('shows the changes before they are stored', async () => {
    const projectId = 'initech';
    const ups = { carrier_code: 'ups', method_code: '03' };
    await methods.create(projectId, { ...ups, method_label: 'Ground' });
    const requests = [{ ...ups, method_label: 'UPS Ground' }];

    const options = { removeOthers: true, maxRemoved: 20 };
    const preview = await methods.upsertMany(projectId, requests, { ...options, dryRun: true });
    const lines = preview.changes.map(({ type, before, after }) =>
      [type, before?.method_label, after?.method_label].join(' '),
    );

    expect(lines).toEqual(['updated Ground UPS Ground']);
    expect((await methods.list(projectId)).data).toMatchObject([{ method_label: 'Ground', version: 1 }]);
  });

  it('saves the order of a screen', async () => {
    const projectId = 'acme';
    const { data: shown } = await methods.list(projectId);
    const dragged = shown.toReversed();

    await dataSource.transaction(async (manager) => {
      for (const [index, { id, etag }] of dragged.entries())
        await methods.update(projectId, id, { sort_order: 10 * index }, { etag, manager });
    });

    const { data } = await methods.list(projectId);
    expect(data.map(({ id }) => id)).toEqual(dragged.map(({ id }) => id));
  });

  it('renames a carrier, and leaves the other fields as they are', async () => {
    const projectId = 'hooli';
    await methods.upsertMany(projectId, [
      { carrier_code: 'ups', method_code: '03', method_label: 'Ground', is_active: false, meta: { days: 3 } },
      { carrier_code: 'ups', method_code: '01', method_label: 'Air', carrier_label: 'UPS' },
      { carrier_code: 'dhl', method_code: 'P', method_label: 'Paket', carrier_label: 'DHL' },
    ]);

    const all = await methods.findAll(projectId);
    const ups = all.filter(({ carrier_code }) => carrier_code === 'ups');
    const renamed = ups.map(({ carrier_code, method_code, method_label }) => {
      return { carrier_code, method_code, method_label, carrier_label: 'UPS Europe' };
    });
    await methods.upsertMany(projectId, renamed);

    const { data } = await methods.list(projectId);
    expect(data.map(({ carrier_label, is_active, meta }) => [carrier_label, is_active, meta])).toEqual([
      ['DHL', true, {}],
      ['UPS Europe', true, {}],
      ['UPS Europe', false, { days: 3 }],
    ]);
  });

  it('erases a customer from the history of an order', async () => {
    const projectId = 'initech';
    await events.record(
      { projectId, orderId: '1001' },
      { type: 'note.added', message: 'Ada called', dedupe_key: 'a' },
    );

    const redacted = await events.redactHistory({ projectId, orderId: '1001' });

    expect(redacted).toBe(1);
    expect(await events.findAll({ projectId, orderId: '1001' })).toMatchObject([
      { type: 'note.added', message: null },
    ]);
  });

  it('gives a new tenant the defaults, and removes it', async () => {
    const projectId = 'globex';
    await methods.create('default', { carrier_code: 'dhl', method_code: 'P', method_label: 'DHL Paket' });
    await events.record({ projectId, orderId: '1001' }, { type: 'order.placed' });

    const { methods: adopted } = await methods.adoptDefaults(projectId);

    expect(adopted.map(({ method_label, use_default }) => [method_label, use_default])).toEqual([
      ['DHL Paket', true],
    ]);
    expect((await methods.adoptDefaults(projectId)).methods).toEqual([]);

    await dataSource.transaction(async (manager) => {
      await methods.removeAll(projectId, { manager });
      await events.removeHistories(projectId, { manager });
    });
    const forgotten = await events.removeHistory({ projectId, orderId: '1001' });

    expect((await methods.list(projectId)).data).toEqual([]);
    expect([await events.findAll({ projectId, orderId: '1001' }), forgotten]).toEqual([[], 0]);
  });
});
