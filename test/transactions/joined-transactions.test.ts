import { AsyncLocalStorage } from 'node:async_hooks';
import { OrderEvents, type ShippingMethodDto, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EntityManager } from 'typeorm';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { addEvents, addMethods } from '../support/rows.js';
import { inTransaction } from '../support/transactions.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const event = { orderId: 'o', type: 'order.placed', dedupeKey: 'once' };

const ambient = new AsyncLocalStorage<EntityManager>();
type Options = { manager?: EntityManager };
type Join = <Result>(manager: EntityManager, work: (options: Options) => Promise<Result>) => Promise<Result>;

/** How calls join a transaction. */
const ways: [string, Join][] = [
  ['is given', (manager, work) => work({ manager })],
  ['is ambient', (manager, work) => ambient.run(manager, () => work({}))],
  // Such as a report or a log that has a transaction of its own while the request has one too.
  [
    'is given beside another ambient one',
    (manager, work) => ambient.run(manager.connection.manager, () => work({ manager })),
  ],
];

describe.each(ways)('in a transaction whose manager %s,', (_way, join) => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  let project: string;
  beforeAll(async () => {
    app = await testApp({ shipping: { entityManager: () => ambient.getStore() } });
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
  });
  afterAll(() => app?.close());
  beforeEach(() => {
    project = freshProject();
  });

  const transaction = <Result>(work: (options: Options) => Promise<Result>): Promise<Result> =>
    inTransaction(app.database.dataSource, (manager) => join(manager, work));

  type Read = (written: ShippingMethodDto, options: Options) => Promise<unknown>;
  const reads: Record<string, Read> = {
    list: async (_, options) => (await methods.list(project, {}, options)).data,
    'list by q': async (_, options) => (await methods.list(project, { q: 'ground' }, options)).data,
    'list by filter': async ({ id }, options) =>
      (await methods.list(project, { filter: { id } }, options)).data,
    tree: async (_, options) =>
      (await methods.tree(project, options)).data.flatMap((branch) => branch.methods),
    findActive: (_, options) => methods.findActive(project, options),
    find: async ({ id }, options) => [await methods.find(project, id, options)],
    findByCodes: async (_, options) => [await methods.findByCodes(project, 'ups', '03', options)],
  };

  const nothing: Record<string, unknown[]> = { find: ['method_not_found'], findByCodes: [null] };

  it.each(Object.keys(reads))(
    '%s sees the writes of the transaction, until they are rolled back',
    async (name) => {
      const read: Read = reads[name] ?? (() => Promise.reject(new Error(name)));
      const seen: unknown[] = [];

      const written = transaction(async (options) => {
        const first = await methods.create(project, { ...ground, use_default: true }, options);
        seen.push([first], await read(first, options));
        const second = await methods.update(project, first.id, { ...ground, sort_order: 1 }, options);
        seen.push([second], await read(second, options));
        throw Object.assign(new Error('rollback'), { second });
      });

      const error = await written.catch((thrown: Error & { second?: ShippingMethodDto }) => thrown);
      expect(error).toMatchObject({ message: 'rollback' });
      expect([seen[1], seen[3]]).toEqual([seen[0], seen[2]]);
      const afterwards = read((error as { second: ShippingMethodDto }).second, {});
      expect(await afterwards.catch((thrown: { code?: string }) => [thrown.code])).toEqual(
        nothing[name] ?? [],
      );
    },
  );

  it('a tree of 901 methods has the writes of the transaction, and inherits from its default', async () => {
    const { dataSource } = app.database;

    const written = inTransaction(dataSource, async (manager) => {
      await addMethods(manager, project, 900);
      return join(manager, async (options) => {
        await methods.create('default', { ...ground, method_label: 'Default' }, options);
        await methods.create(project, { ...ground, use_default: true }, options);
        const { data } = await methods.tree(project, options);
        throw Object.assign(new Error('rollback'), { data });
      });
    });

    await expect(written).rejects.toMatchObject({
      message: 'rollback',
      data: [{ carrier_code: 'c', methods: { length: 900 } }, { methods: [{ method_label: 'Default' }] }],
    });
    expect(await methods.tree(project)).toEqual({ data: [] });
  });

  it.each(['create', 'update', 'upsert', 'remove', 'a refused create', 'a refused update'] as const)(
    '%s stays in the transaction',
    async (write) => {
      const { id } = await methods.create(project, ground);
      await methods.create(project, { ...ground, method_code: '01' });
      const changed = { ...ground, method_label: 'Changed' };

      const outcome = transaction(async (options): Promise<unknown> => {
        if (write === 'create') return methods.create(project, { ...ground, method_code: '02' }, options);
        if (write === 'update') return methods.update(project, id, changed, options);
        if (write === 'upsert') return methods.upsert(project, changed, options);
        if (write === 'remove') return methods.remove(project, id, options);
        if (write === 'a refused create') return methods.create(project, ground, options);
        return methods.update(project, id, { ...ground, method_code: '01' }, options);
      });

      const { code } = (await outcome.catch((thrown: unknown) => thrown)) as { code?: string };
      expect(code).toBe(write.startsWith('a refused') ? 'duplicate_method' : undefined);
    },
  );

  it('a history of more events than are read at once has them all, until they are rolled back', async () => {
    const { dataSource } = app.database;
    const order = { ...event, projectId: project };

    const recorded = inTransaction(dataSource, async (manager) => {
      await addEvents(manager, { projectId: project, orderId: 'o' }, 450);
      return join(manager, async (options) => {
        const last = await events.record({ ...order, occurredAt: '9999-01-01T00:00:00Z' }, options);
        const listed = await events.list(project, 'o', options);
        expect([listed.length, listed.at(-1)]).toEqual([451, last]);
        throw new Error('rollback');
      });
    });

    await expect(recorded).rejects.toThrow('rollback');
    expect(await events.list(project, 'o')).toEqual([]);
  });

  onlyWhere('connections', () => {
    it('a stream of events belongs to the transaction in which it was made, and ends with it', async () => {
      const stream = await transaction(async (options) => {
        await events.record({ ...event, projectId: project }, options);
        return { events: events.stream(project, 'o', options) };
      });

      await expect(stream.events.next()).rejects.toMatchObject({ code: 'database_unavailable' });
    });
  });

  it('a history has the events of the transaction once each, until they are rolled back', async () => {
    const order = { ...event, projectId: project };

    const recorded = transaction(async (options) => {
      const first = await events.record(order, options);
      const again = await events.record(order, options);
      const listed = await events.list(project, 'o', options);
      const streamed = [];
      for await (const one of events.stream(project, 'o', options)) streamed.push(one);
      expect([again, listed, streamed]).toEqual([first, [first], [first]]);
      throw new Error('rollback');
    });

    await expect(recorded).rejects.toThrow('rollback');
    expect(await events.list(project, 'o')).toEqual([]);
    const fresh = await events.record({ ...order, message: 'after all' });
    expect(fresh.message).toBe('after all');
  });
});

onlyWhere('connections', () => {
  describe('a call that is given the manager of the DataSource', () => {
    let app: TestApp;
    let methods: ShippingMethods;
    let events: OrderEvents;
    beforeAll(async () => {
      app = await testApp({ shipping: { entityManager: () => ambient.getStore() } });
      methods = app.nest.get(ShippingMethods);
      events = app.nest.get(OrderEvents);
    });
    afterAll(() => app?.close());

    type Call = (project: string, id: string, options: Options) => Promise<unknown>;

    it.each<[string, Call]>([
      ['create', (project, _, options) => methods.create(project, { ...ground, method_code: '01' }, options)],
      [
        'update',
        (project, id, options) => methods.update(project, id, { ...ground, sort_order: 1 }, options),
      ],
      ['upsert', (project, _, options) => methods.upsert(project, { ...ground, sort_order: 1 }, options)],
      ['remove', (project, id, options) => methods.remove(project, id, options)],
      ['list', (project, _, options) => methods.list(project, {}, options)],
      ['tree', (project, _, options) => methods.tree(project, options)],
      ['findActive', (project, _, options) => methods.findActive(project, options)],
      ['find', (project, id, options) => methods.find(project, id, options)],
      ['findByCodes', (project, _, options) => methods.findByCodes(project, 'ups', '03', options)],
      ['record', (projectId, _, options) => events.record({ ...event, projectId }, options)],
      ['history', (project, _, options) => events.list(project, 'o', options)],
    ])('leaves the ambient transaction: %s', async (_name, call) => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      const { dataSource } = app.database;
      // One that is over: a call that joined it would fail.
      const over = await dataSource.transaction((manager) => Promise.resolve(manager));

      const joined = ambient.run(over, () => call(project, id, {}));
      await expect(joined).rejects.toMatchObject({ code: 'database_unavailable' });
      const left = await ambient.run(over, () => call(project, id, { manager: dataSource.manager }));

      expect(left).not.toBeNull();
    });
  });
});

describe('a route inside an ambient transaction', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  /** That of the request, however it got there. */
  let current: EntityManager | undefined;
  beforeAll(async () => {
    app = await testApp({ shipping: { entityManager: () => current } });
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());

  it.each(['list', 'tree'] as const)(
    '%s answers 304 only to whom holds what the transaction sees, and not what it has rolled back',
    async (route) => {
      const shop = new Client(app.origin, freshProject());
      await methods.create(shop.project, ground);
      const read = (etag = '') => {
        const headers = { 'if-none-match': etag };
        return route === 'list' ? shop.list('', headers) : shop.tree(headers);
      };
      const tagOf = ({ headers }: { headers: Headers }): string => headers.get('etag') ?? '';
      const before = tagOf(await read());
      const statuses: number[] = [];

      const within = inTransaction(app.database.dataSource, async (manager) => {
        current = manager;
        statuses.push((await read(before)).status);
        await methods.create(shop.project, { ...ground, method_code: '01' });
        const changed = await read(before);
        statuses.push(changed.status, (await read(tagOf(changed))).status);
        throw Object.assign(new Error('rollback'), { etag: tagOf(changed) });
      });
      const { etag } = (await within.catch((thrown: unknown) => thrown)) as { etag?: string };
      current = undefined;
      statuses.push((await read(etag)).status, (await read(before)).status);

      expect(statuses).toEqual([304, 200, 304, 200, 304]);
    },
  );
});
