import { Injectable, Module } from '@nestjs/common';
import { OrderEvents, type ShippingMethodChange, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

type OnChange = (change: ShippingMethodChange, manager: EntityManager) => Promise<void>;

const nothing: OnChange = () => Promise.resolve();

describe('onChange', () => {
  let hook = nothing;
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  beforeAll(async () => {
    app = await testApp({ shipping: { onChange: (change, manager) => hook(change, manager) } });
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
  });
  afterAll(() => app?.close());
  afterEach(() => {
    hook = nothing;
  });

  /** Notes each change as an event of the order `changes`, in the transaction of the change. */
  const note: OnChange = async ({ type, before, after }, manager) => {
    const { project_id: projectId, method_code } = after ?? before ?? { project_id: '', method_code: '' };
    await events.record(
      { projectId, orderId: 'changes', type: `method.${type}`, message: method_code },
      { manager },
    );
  };
  const noted = async (project: string): Promise<string[]> =>
    (await events.list(project, 'changes')).map(({ type, message }) => `${type} ${message}`);

  it('runs for each change of each call, and writes with it', async () => {
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
    await methods.removeProject(project);

    expect(await noted(project)).toEqual([
      'method.created 03',
      'method.updated 03',
      'method.updated 03',
      'method.created 01',
      'method.deleted 03',
      'method.created route',
      'method.updated route',
      expect.stringMatching(/^method.deleted (01|route)$/),
      expect.stringMatching(/^method.deleted (01|route)$/),
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
    await methods.removeProject(freshProject());

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

  it('gets the change as it is told later, and a manager that sees what is stored by then', async () => {
    const project = freshProject();
    const seen: unknown[] = [];
    const changes: ShippingMethodChange[] = [];
    hook = async (change, manager) => {
      changes.push(structuredClone(change));
      seen.push((await methods.list(project, {}, { manager })).data);
    };
    const told: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => told.push(change));

    const { methods: stored } = await methods.upsertMany(project, [ground, express]);
    subscription.unsubscribe();

    expect(changes).toEqual(told);
    expect(changes.map(({ after }) => after)).toEqual(stored);
    expect(seen).toEqual([stored.toReversed(), stored.toReversed()]);
  });

  it('may edit the change that it gets: the stored, returned and reported values stay', async () => {
    const project = freshProject();
    hook = async ({ after }) => {
      Object.assign(after?.meta ?? {}, { days: 'edited' });
      Object.assign(after ?? {}, { method_label: 'Edited' });
    };
    const told: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => told.push(change));

    const { methods: returned, changes } = await methods.upsertMany(project, [
      { ...ground, meta: { days: 3 } },
    ]);
    subscription.unsubscribe();

    const sent = { ...ground, meta: { days: 3 } };
    expect(returned).toMatchObject([sent]);
    expect([changes, told]).toMatchObject([[{ after: sent }], [{ after: sent }]]);
    expect((await methods.list(project)).data).toMatchObject([sent]);
  });

  it('may call the services again with its manager, in the same project too', async () => {
    const [project, mirror] = [freshProject(), freshProject()];
    hook = async ({ after }, manager) => {
      if (after?.project_id !== project || after.method_code !== '03') return;
      await methods.upsert(mirror, ground, { manager });
      await methods.upsert(project, express, { manager });
    };
    const told: (string | undefined)[] = [];
    const subscription = methods.changes.subscribe(({ after }) =>
      told.push(`${after?.project_id === mirror ? 'mirror' : 'project'} ${after?.method_code}`),
    );

    const created = await methods.create(project, ground);
    await methods.upsertMany(project, [{ ...ground, sort_order: 1 }]);
    subscription.unsubscribe();

    expect(created).toMatchObject(ground);
    expect((await methods.list(mirror)).data).toMatchObject([ground]);
    expect((await methods.list(project)).data).toMatchObject([express, { ...ground, sort_order: 1 }]);
    // A change comes before those that follow from it.
    expect(told).toEqual(['project 03', 'mirror 03', 'project 01', 'project 03']);
  });

  it('may leave code behind that calls again later in the same transaction', async () => {
    const project = freshProject();
    let goOn = (): void => undefined;
    const later = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let left: Promise<unknown> = Promise.resolve();
    hook = async ({ after }, manager) => {
      if (after?.method_code === '03')
        left = Promise.allSettled([later.then(() => methods.create(project, express, { manager }))]);
    };

    await app.database.dataSource.transaction(async (manager) => {
      await methods.create(project, ground, { manager });
      void methods.list(project, {}, { manager });
      goOn();
    });
    await left;

    expect((await methods.list(project)).data).toMatchObject([express, ground]);
  });

  it.each(['of its own', 'of the caller'])(
    'may leave calls un-awaited, in a transaction %s',
    async (whose) => {
      const [project, mirror] = [freshProject(), freshProject()];
      let left: Promise<unknown> = Promise.resolve();
      hook = async ({ after }, manager) => {
        const create = (n: number): Promise<unknown> =>
          methods.create(mirror, { ...ground, method_code: `${n}` }, { manager });
        if (after?.project_id === project) left = Promise.allSettled([1, 2, 3].map(create));
      };

      if (whose === 'of the caller')
        await app.database.dataSource.transaction((manager) => methods.create(project, ground, { manager }));
      else await methods.create(project, ground);
      await left;

      expect((await methods.list(mirror)).meta.total).toBe(3);
    },
  );

  it.each<[string, (project: string) => Promise<unknown>]>([
    ['changes the same project', (project) => methods.create(project, express)],
    ['changes another project', () => methods.create(freshProject(), express)],
    ['reads', (project) => methods.list(project)],
    ['records an event', (projectId) => events.record({ projectId, orderId: 'o', type: 'a.b' })],
  ])('that %s without its manager is refused at once, and nothing is stored', async (_name, call) => {
    const project = freshProject();
    hook = async ({ after }) => {
      if (after?.method_code === '03') await call(project);
    };

    const creating = methods.create(project, ground);

    await expect(creating).rejects.toThrow('pass the manager');
    expect((await methods.list(project)).meta.total).toBe(0);
    expect(await methods.create(project, express)).toMatchObject(express);
  });

  it('may leave code behind that calls without the manager when the change is over', async () => {
    const [project, later] = [freshProject(), freshProject()];
    let over = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (over = resolve));
    let left: Promise<unknown> = Promise.resolve();
    hook = async ({ after }) => {
      if (after?.project_id === project) left = isOver.then(() => methods.create(later, ground));
    };

    await methods.create(project, ground);
    over();

    expect(await left).toMatchObject(ground);
  });

  it.each(['of its own', 'of the caller'])(
    'may hand its manager to code of another async context, in a transaction %s',
    async (whose) => {
      const [project, mirror] = [freshProject(), freshProject()];
      const jobs: (() => Promise<void>)[] = [];
      const stop = new AbortController();
      // A loop that was started before the change, such as a queue of one worker.
      const worker = (async () => {
        while (!stop.signal.aborted) {
          await jobs.shift()?.();
          await new Promise(setImmediate);
        }
      })();
      hook = ({ after }, manager) =>
        new Promise((resolve, reject) => {
          if (after?.project_id !== project) return resolve();
          jobs.push(() => methods.create(mirror, ground, { manager }).then(() => resolve(), reject));
        });

      if (whose === 'of the caller')
        await app.database.dataSource.transaction((manager) => methods.create(project, ground, { manager }));
      else await methods.create(project, ground);
      stop.abort();
      await worker;

      expect((await methods.list(mirror)).data).toMatchObject([ground]);
    },
  );

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

it('onChange can come from an injected service', async () => {
  const app = await testApp();
  const testing = await compiled([
    typeOrm(app.database),
    AuditModule,
    ShippingModule.forRootAsync({
      http: false,
      imports: [AuditModule],
      inject: [Audit],
      useFactory: (audit: Audit) => ({ onChange: (change, manager) => audit.write(change, manager) }),
    }),
  ]);
  await testing.init();

  await testing.get(ShippingMethods, { strict: false }).create(freshProject(), ground);

  expect(testing.get(Audit, { strict: false }).entries).toEqual(['created in a transaction: true']);
  await app.close();
});
