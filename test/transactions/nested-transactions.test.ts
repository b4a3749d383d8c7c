import { isDeepStrictEqual } from 'node:util';
import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { type EntityManager, type EntitySubscriberInterface } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { statementThatFails, statementThatSucceeds } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

let app: TestApp;
let methods: ShippingMethods;
let events: OrderEvents;
beforeAll(async () => {
  app = await testApp();
  methods = app.nest.get(ShippingMethods);
  events = app.nest.get(OrderEvents);
});
afterAll(() => app?.close());

type Call = (project: string, manager: EntityManager) => Promise<unknown>;

/** A nested transaction of the host, whose failure the host catches. */
const nested = (manager: EntityManager, sql: string): Promise<unknown> =>
  manager.transaction((inner) => inner.query(sql)).catch(() => undefined);

describe("a host's nested transaction beside a call of ours", () => {
  it.each<[string, Call]>([
    ['create', (project, manager) => methods.create(project, { ...ground, method_code: '01' }, { manager })],
    [
      'refused create',
      (project, manager) => methods.create(project, ground, { manager }).catch(() => undefined),
    ],
    ['upsert', (project, manager) => methods.upsert(project, { ...ground, sort_order: 1 }, { manager })],
    [
      'remove',
      async (project, manager) => {
        const { data } = await methods.list(project, {}, { manager });
        await methods.remove(project, data[0]?.id ?? '', { manager });
      },
    ],
    [
      'event',
      (projectId, manager) =>
        events.record({ projectId, orderId: 'o', type: 'order.placed', dedupeKey: 'k' }, { manager }),
    ],
  ])('leaves the pool usable for all other requests: %s', async (_name, call) => {
    const other = new Client(app.origin, freshProject());
    await other.create(ground);

    const failed: string[] = [];
    for (const sql of [statementThatSucceeds, statementThatFails]) {
      const project = freshProject();
      await methods.create(project, ground);
      await app.database.dataSource
        .transaction((manager) => Promise.all([call(project, manager), nested(manager, sql)]))
        // A call that runs inside the failing transaction fails with it.
        .catch(() => failed.push(sql));
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => other.list()));

    expect(failed).not.toContain(statementThatSucceeds);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('is committed together with the calls', async () => {
    const project = freshProject();

    await app.database.dataSource.transaction((manager) =>
      Promise.all([
        methods.create(project, ground, { manager }),
        nested(manager, statementThatSucceeds),
        methods.create(project, { ...ground, method_code: '01' }, { manager }),
      ]),
    );

    expect((await methods.list(project)).meta.total).toBe(2);
  });

  onlyWhere('failedTransactions', () => {
    it('that alone holds a call does not hide that the outer COMMIT was answered with a rollback', async () => {
      const project = freshProject();

      const committed = app.database.dataSource.transaction(async (manager) => {
        await manager.transaction((inner) => methods.create(project, ground, { manager: inner }));
        await manager.query(statementThatFails).catch(() => undefined);
      });

      await expect(committed).rejects.toThrow(
        'The transaction was rolled back: a statement in it had failed.',
      );
      expect((await methods.list(project)).meta.total).toBe(0);
    });
  });

  it('that is being released leaves a call that begins then to the outer transaction', async () => {
    const { dataSource } = app.database;
    const project = freshProject();
    const told: (string | undefined)[] = [];
    const subscription = methods.changes.subscribe(({ after }) => told.push(after?.project_id));
    const calls: Promise<unknown>[] = [];
    const calling: EntitySubscriberInterface = {
      beforeQuery: ({ query, manager }) => {
        if (query.startsWith('RELEASE')) calls.push(methods.create(project, ground, { manager }));
      },
    };
    dataSource.subscribers.push(calling);

    await dataSource
      .transaction(async (manager) => {
        await nested(manager, statementThatSucceeds);
        await Promise.all(calls);
        expect(told).toEqual([]);
      })
      .finally(() => dataSource.subscribers.splice(dataSource.subscribers.indexOf(calling), 1));
    subscription.unsubscribe();

    expect(calls).toHaveLength(1);
    expect(told).toEqual([project]);
    expect((await methods.list(project)).meta.total).toBe(1);
  });

  onlyWhere('connections', () => {
    describe.each(['is released', 'is rolled back'])('that %s', (end) => {
      type CallOfOne = (project: string, id: string, manager: EntityManager) => Promise<unknown>;
      const update: CallOfOne = (project, id, manager) =>
        methods.update(project, id, { ...ground, sort_order: 1 }, { manager });
      const upsert: CallOfOne = (project, _, manager) =>
        methods.upsert(project, { ...ground, sort_order: 1 }, { manager });
      const remove: CallOfOne = (project, id, manager) => methods.remove(project, id, { manager });
      const refusedCreate: CallOfOne = (project, _, manager) => methods.create(project, ground, { manager });
      it.each([
        ['update', update],
        ['upsert', upsert],
        ['remove', remove],
        ['refused create', refusedCreate],
      ])('ends after a call that was made in it, and not in the middle of it: %s', async (_name, call) => {
        const project = freshProject();
        const { id } = await methods.create(project, ground);
        const before = await methods.list(project);

        const outcomes = await app.database.dataSource.transaction(async (manager) => {
          let calls: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
          const ending = manager.transaction((inner) => {
            calls = Promise.allSettled([call(project, id, inner)]);
            return end === 'is released' ? Promise.resolve() : Promise.reject(new Error('rollback'));
          });
          await ending.catch(() => undefined);
          return calls;
        });

        const isRefused = call === refusedCreate;
        const isKept = !isRefused && end === 'is released';
        expect(outcomes).toMatchObject([{ status: isRefused ? 'rejected' : 'fulfilled' }]);
        const after = await methods.list(project);
        expect(isDeepStrictEqual(after, before)).toBe(!isKept);
      });
    });
  });

  it('that is rolled back leaves the reported changes in agreement with the stored methods', async () => {
    const told: (string | undefined)[] = [];
    const subscription = methods.changes.subscribe(({ after }) => told.push(after?.method_code));
    const project = freshProject();
    for (let statements = 0; statements < 24; statements++) {
      await app.database.dataSource.transaction(async (manager) => {
        const failing = nested(manager, statementThatFails);
        for (let n = 0; n < statements; n++) await new Promise(process.nextTick);
        await methods
          .create(project, { ...ground, method_code: `m${statements}` }, { manager })
          .catch(() => 0);
        await failing;
      });
    }
    subscription.unsubscribe();

    const { data } = await methods.list(project, { per_page: 100 });
    expect(told.toSorted()).toEqual(data.map(({ method_code }) => method_code).toSorted());
  });
});
