import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import {
  ClsPluginTransactional,
  Propagation,
  Transactional,
  TransactionHost,
} from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { ClsModule } from 'nestjs-cls';
import {
  DatabaseUnavailableError,
  OrderEventsService,
  repeatLostRaces,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import {
  addTransactionalDataSource,
  initializeTransactionalContext,
  runInTransaction,
} from 'typeorm-transactional';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

type Host = TransactionHost<TransactionalAdapterTypeOrm>;

/** A service of a host that passes no managers. */
@Injectable()
class Checkout {
  constructor(
    @Inject(ShippingMethodsService) readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) readonly events: OrderEventsService,
  ) {}

  async work(project: string, fail: boolean): Promise<void> {
    await this.methods.create(project, ground);
    await this.methods.create(project, ground).catch(() => undefined);
    await this.events.record({ projectId: project, orderId: 'o' }, { type: 'order.placed' });
    if (fail) throw new Error('rolled back');
  }

  @Transactional(Propagation.Nested)
  async nested(): Promise<void> {
    await this.events.findAll({ projectId: 'any', orderId: 'o' });
  }

  @Transactional()
  async beside(project: string): Promise<void> {
    await Promise.all([this.methods.create(project, ground), this.nested()]);
  }

  @Transactional()
  async inCls(project: string, fail: boolean): Promise<void> {
    await this.work(project, fail);
  }
}

async function outcome(checkout: Checkout, project: string): Promise<[methods: number, events: number]> {
  const { meta } = await checkout.methods.list(project);
  return [meta.total, (await checkout.events.findAll({ projectId: project, orderId: 'o' })).length];
}

/** Commits one transaction of the host's library, rolls back another one, and counts the rows and changes of both. */
async function keepsToTransactions(
  checkout: Checkout,
  inTransaction: (project: string, fail: boolean) => Promise<void>,
): Promise<void> {
  const [kept, lost] = [freshProject(), freshProject()];
  const notified: string[] = [];
  const subscription = checkout.methods.changes.subscribe(({ after }) =>
    notified.push(after?.project_id ?? ''),
  );

  await inTransaction(kept, false);
  await expect(inTransaction(lost, true)).rejects.toThrow('rolled back');
  subscription.unsubscribe();

  expect(await outcome(checkout, kept)).toEqual([1, 1]);
  expect(await outcome(checkout, lost)).toEqual([0, 0]);
  expect(notified).toEqual([kept]);
}

/**
 * The subscriber makes a change of its own, which takes several statements, while the library still has the
 * transaction.
 */
async function isOverForSubscribers(
  { methods }: Checkout,
  inTransaction: (project: string, fail: boolean) => Promise<void>,
): Promise<void> {
  const [project, copied] = [freshProject(), freshProject()];
  let copy: Promise<unknown> | undefined;
  const subscription = methods.changes.subscribe(() => (copy ??= methods.create(copied, ground)));

  await inTransaction(project, false);
  await copy;
  subscription.unsubscribe();

  expect((await methods.list(copied)).data).toMatchObject([ground]);
}

/** A transaction that loses a race is rolled back, and its repeat is a new transaction. */
async function repeatsLostRaces(
  checkout: Checkout,
  inTransaction: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const project = freshProject();
  const notified: string[] = [];
  const subscription = checkout.methods.changes.subscribe(({ type }) => notified.push(type));
  let tries = 0;

  await repeatLostRaces(() =>
    inTransaction(async () => {
      await checkout.work(project, false);
      if (++tries < 3) throw new DatabaseUnavailableError(new Error('a deadlock'), 'race');
    }),
  );
  subscription.unsubscribe();

  expect(tries).toBe(3);
  expect(await outcome(checkout, project)).toEqual([1, 1]);
  expect(notified).toEqual(['created']);
}

/** Two transactions that change the same two projects, in different orders, until one of them is a victim. */
async function survivesDeadlocks(
  checkout: Checkout,
  inTransaction: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { methods } = checkout;
  const projects = [freshProject(), freshProject()];
  for (const project of projects) await methods.create(project, ground);
  let tries = 0;
  let bothHaveOne = (): void => undefined;
  const meeting = new Promise<void>((resolve) => (bothHaveOne = resolve));
  const place = (method_code: string, [first = '', second = '']: string[]): Promise<void> =>
    repeatLostRaces(() =>
      inTransaction(async () => {
        await methods.create(first, { ...ground, method_code });
        if (++tries === 2) bothHaveOne();
        await meeting;
        await methods.create(second, { ...ground, method_code });
      }),
    );

  await Promise.all([place('a', projects), place('b', projects.toReversed())]);

  expect(tries).toBeGreaterThan(2);
  for (const project of projects) expect(await methods.findAll(project)).toHaveLength(3);
}

describe("the host's transactions", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it('of nestjs-cls are joined through the entityManager option', async () => {
    const testing = await compiled(
      [
        typeOrm(database),
        ClsModule.forRoot({
          global: true,
          plugins: [
            new ClsPluginTransactional({
              adapter: new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource }),
            }),
          ],
        }),
        ShippingModule.forRootAsync({
          inject: [TransactionHost],
          useFactory: (host: Host) => ({
            entityManager: () => (host.isTransactionActive() ? host.tx : undefined),
          }),
        }),
      ],
      { providers: [Checkout] },
    );
    await testing.init();
    const checkout = testing.get(Checkout);

    await keepsToTransactions(checkout, (project, fail) => checkout.inCls(project, fail));
    await isOverForSubscribers(checkout, (project, fail) => checkout.inCls(project, fail));
    const inTransaction = (work: () => Promise<void>): Promise<void> =>
      testing.get<Host>(TransactionHost).withTransaction(work);
    await repeatsLostRaces(checkout, inTransaction);
    if (engine.has.lostRaces && engine.has.severalConnections)
      await survivesDeadlocks(checkout, inTransaction);

    const project = freshProject();
    await checkout.beside(project);
    expect(await outcome(checkout, project)).toEqual([1, 0]);
    // After a mix-up of the two transactions, the pool would not serve any other call.
    await Promise.all(Array.from({ length: 20 }, () => checkout.methods.list(freshProject())));
  });

  onlyWhere('connections', () => {
    it('of one request never include calls of another request', async () => {
      const requests = new AsyncLocalStorage<{ manager?: EntityManager | undefined }>();
      const testing = await compiled(
        [typeOrm(database), ShippingModule.forRoot({ entityManager: () => requests.getStore()?.manager })],
        { providers: [Checkout] },
      );
      await testing.init();
      const { methods } = testing.get(Checkout);
      const [mine, theirs, empty] = [freshProject(), freshProject(), freshProject()];
      const [{ id }, { id: theirId }] = [
        await methods.create(mine, ground),
        await methods.create(theirs, ground),
      ];
      const runner = database.dataSource.createQueryRunner();
      await runner.startTransaction();
      const request: { manager?: EntityManager | undefined } = {};
      const express = { ...ground, method_code: '01' };

      // Calls share the look-up of revisions, which runs in the context of the first one. Its request opens a
      // transaction meanwhile.
      const before = requests.run(request, () => [
        methods.create(mine, express),
        methods.find(mine, id),
        methods.create(empty, express),
      ]);
      const others = [
        methods.create(theirs, express),
        methods.update(theirs, theirId, { ...ground, method_label: 'Changed' }),
        methods.list(theirs),
      ];
      request.manager = runner.manager;
      if (engine.has.severalConnections) await Promise.all([...others, ...before]);
      await runner.rollbackTransaction();
      await runner.release();
      request.manager = undefined;
      await Promise.all([...others, ...before]);

      expect((await methods.list(mine)).data).toMatchObject([express, ground]);
      expect((await methods.list(empty)).data).toMatchObject([express]);
      expect((await methods.list(theirs)).data).toMatchObject([
        express,
        { ...ground, method_label: 'Changed' },
      ]);
    });
  });

  it('of typeorm-transactional are joined without any option', async () => {
    initializeTransactionalContext();
    addTransactionalDataSource(database.dataSource);
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()], { providers: [Checkout] });
    await testing.init();
    const checkout = testing.get(Checkout);

    const inTransaction = (project: string, fail: boolean): Promise<void> =>
      runInTransaction(() => checkout.work(project, fail));
    await keepsToTransactions(checkout, inTransaction);
    await isOverForSubscribers(checkout, inTransaction);
    await repeatsLostRaces(checkout, runInTransaction);
    if (engine.has.lostRaces && engine.has.severalConnections)
      await survivesDeadlocks(checkout, runInTransaction);
  });
});
