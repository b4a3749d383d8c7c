import { Injectable, Module } from '@nestjs/common';
import {
  OrderEventsService,
  type ShippingMethodChange,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject, ground } from '../support/client.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

type OnChange = (change: ShippingMethodChange, manager: EntityManager) => unknown;

const nothing: OnChange = () => Promise.resolve();

describe('beforeCommit.change', () => {
  let hook = nothing;
  let app: TestApp;
  let methods: ShippingMethodsService;
  let events: OrderEventsService;
  beforeAll(async () => {
    app = await testApp({
      shipping: { beforeCommit: { change: (change, manager) => hook(change, manager) } },
    });
    methods = app.nest.get(ShippingMethodsService);
    events = app.nest.get(OrderEventsService);
  });
  afterAll(() => app?.close());
  afterEach(() => {
    hook = nothing;
  });

  /** Notes each change as an event of the order `changes`, in the transaction of the change. */
  const note: OnChange = async ({ type, before, after }, manager) => {
    const { project_id: projectId, method_code } = after ?? before ?? { project_id: '', method_code: '' };
    await events.record(
      { projectId, orderId: 'changes' },
      { type: `method.${type}`, message: method_code },
      { manager },
    );
  };
  const noted = async (project: string): Promise<string[]> =>
    (await events.findAll({ projectId: project, orderId: 'changes' })).map(
      ({ type, message }) => `${type} ${message}`,
    );

  it('may return no promise, and rolls the change back if it throws', async () => {
    const project = freshProject();
    const seen: string[] = [];
    hook = ({ type }) => seen.push(type);
    await methods.create(project, ground);
    hook = () => {
      throw new Error('No more methods.');
    };

    await expect(methods.create(project, express)).rejects.toThrow('No more methods.');
    expect(seen).toEqual(['created']);
    expect((await methods.list(project)).data).toHaveLength(1);
  });

  it('runs for each change, and what it writes is stored with the change', async () => {
    const project = freshProject();
    const shop = new Client(app.origin, project);
    hook = note;

    const { id } = await methods.create(project, ground);
    await methods.update(project, id, { ...ground, sort_order: 1 });
    await methods.upsert(project, { ...ground, sort_order: 2 });
    await methods.upsertMany(project, [express, ground], { removeOthers: true });
    await methods.remove(project, id);
    const { body } = await shop.create({ ...ground, method_code: 'route' });
    await shop.update(body.id, { ...ground, method_code: 'route', is_active: false });
    await methods.removeAll(project);

    expect(await noted(project)).toEqual([
      'method.created 03',
      'method.updated 03',
      'method.updated 03',
      'method.created 01',
      'method.removed 03',
      'method.created route',
      'method.updated route',
      expect.stringMatching(/^method.removed (01|route)$/),
      expect.stringMatching(/^method.removed (01|route)$/),
    ]);
  });

  it('does not run for a call that changes nothing, or is refused', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    hook = note;

    await methods.update(project, id, ground);
    await methods.upsert(project, ground);
    await methods.upsertMany(project, [ground], { removeOthers: true });
    await methods.create(project, ground).catch(() => undefined);
    await methods.removeAll(freshProject());

    expect(await noted(project)).toEqual([]);
  });

  it('runs for the changes of a call one after another', async () => {
    const log: string[] = [];
    hook = async ({ after }) => {
      log.push(`begin ${after?.method_code}`);
      await new Promise(setImmediate);
      log.push(`end ${after?.method_code}`);
    };

    await methods.upsertMany(freshProject(), [ground, express]);

    expect(log).toEqual(['begin 03', 'end 03', 'begin 01', 'end 01']);
  });

  it('gets the change that is reported later, and a manager that can read it', async () => {
    const project = freshProject();
    const seen: unknown[] = [];
    const changes: ShippingMethodChange[] = [];
    hook = async (change, manager) => {
      changes.push(structuredClone(change));
      seen.push((await methods.list(project, {}, { manager })).data);
    };
    const reported: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => reported.push(change));

    const { methods: stored } = await methods.upsertMany(project, [ground, express]);
    subscription.unsubscribe();

    expect(changes).toEqual(reported);
    expect(changes.map(({ after }) => after)).toEqual(stored);
    expect(seen).toEqual([stored.toReversed(), stored.toReversed()]);
  });

  it('may edit the change that it gets: the stored, returned and reported values stay', async () => {
    const project = freshProject();
    hook = async ({ after }) => {
      Object.assign(after?.meta ?? {}, { days: 'edited' });
      Object.assign(after ?? {}, { method_label: 'Edited' });
    };
    const reported: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => reported.push(change));

    const { methods: returned, changes } = await methods.upsertMany(project, [
      { ...ground, meta: { days: 3 } },
    ]);
    subscription.unsubscribe();

    const sent = { ...ground, meta: { days: 3 } };
    expect(returned).toMatchObject([sent]);
    expect([changes, reported]).toMatchObject([[{ after: sent }], [{ after: sent }]]);
    expect((await methods.list(project)).data).toMatchObject([sent]);
  });

  it('finishes before the rollback when the caller does not wait for it', async () => {
    const project = freshProject();
    const { dataSource } = app.database;
    hook = async (change, manager) => {
      await new Promise(setImmediate);
      await note(change, manager);
    };

    const failing = dataSource.transaction((manager) =>
      Promise.all([
        methods.create(project, ground, { manager }),
        methods.create(project, express, { manager }),
        Promise.reject(new Error('The host fails')),
      ]),
    );

    await expect(failing).rejects.toThrow('The host fails');
    expect(await noted(project)).toEqual([]);
    expect((await methods.list(project)).data).toEqual([]);
  });
});

@Injectable()
class Audit {
  readonly entries: string[] = [];

  async write({ type }: ShippingMethodChange, manager: EntityManager): Promise<void> {
    this.entries.push(`${type} in a transaction: ${manager.queryRunner?.isTransactionActive}`);
  }
}

@Module({ providers: [Audit], exports: [Audit] })
class AuditModule {}

it('beforeCommit.change can come from an injected service', async () => {
  const app = await testApp();
  const testing = await compiled([
    typeOrm(app.database),
    AuditModule,
    ShippingModule.forRootAsync({
      http: false,
      imports: [AuditModule],
      inject: [Audit],
      useFactory: (audit: Audit) => ({
        beforeCommit: { change: (change, manager) => audit.write(change, manager) },
      }),
    }),
  ]);
  await testing.init();

  await testing.get(ShippingMethodsService, { strict: false }).create(freshProject(), ground);

  expect(testing.get(Audit, { strict: false }).entries).toEqual(['created in a transaction: true']);
  await app.close();
});
