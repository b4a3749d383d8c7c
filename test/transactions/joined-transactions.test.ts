import { AsyncLocalStorage } from 'node:async_hooks';
import { ShippingMethod, type ShippingMethodDto } from 'nestjs-shipping';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EntityManager } from 'typeorm';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { inTransaction } from '../support/transactions.js';

const event = { type: 'order.placed', dedupe_key: 'once' };

const ambient = new AsyncLocalStorage<EntityManager>();
/** The ambient manager of requests to the routes. */
let current: EntityManager | undefined;
const host = mounted({ shipping: { entityManager: () => ambient.getStore() ?? current } });
type Options = { manager?: EntityManager };
type Join = <Result>(manager: EntityManager, work: (options: Options) => Promise<Result>) => Promise<Result>;

/** How calls join a transaction. */
const ways: [string, Join][] = [
  ['is given', (manager, work) => work({ manager })],
  ['is ambient', (manager, work) => ambient.run(manager, () => work({}))],
  // A report or a log may have a transaction of its own beside the one of the request.
  [
    'is given beside another ambient one',
    (manager, work) => ambient.run(manager.connection.manager, () => work({ manager })),
  ],
];

describe.each(ways)('in a transaction whose manager %s,', (_way, join) => {
  let project: string;
  beforeEach(() => {
    project = freshProject();
  });

  const transaction = <Result>(work: (options: Options) => Promise<Result>): Promise<Result> =>
    inTransaction(host.dataSource, (manager) => join(manager, work));

  type Read = (written: ShippingMethodDto, options: Options) => Promise<unknown>;
  const reads: Record<string, Read> = {
    list: async (_, options) => (await host.methods.list(project, {}, options)).data,
    tree: async (_, options) =>
      (await host.methods.tree(project, options)).data.flatMap((branch) => branch.methods),
    findActive: (_, options) => host.methods.findActive(project, options),
    find: async ({ id }, options) => [await host.methods.find(project, id, options)],
    findByCodes: async (_, options) => [
      await host.methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' }, options),
    ],
  };

  const nothing: Record<string, unknown[]> = { find: [null], findByCodes: [null] };

  it.each(Object.keys(reads))(
    '%s sees the writes of the transaction, until they are rolled back',
    async (name) => {
      const read: Read = reads[name] ?? (() => Promise.reject(new Error(name)));
      const seen: unknown[] = [];

      const written = transaction(async (options) => {
        const first = await host.methods.create(project, { ...ground, use_default: true }, options);
        seen.push([first], await read(first, options));
        const second = await host.methods.update(project, first.id, { ...ground, sort_order: 1 }, options);
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

  it.each(['create', 'update', 'upsert', 'remove', 'a refused create', 'a refused update'] as const)(
    '%s stays in the transaction',
    async (write) => {
      const { id } = await host.methods.create(project, ground);
      await host.methods.create(project, { ...ground, method_code: '01' });
      const changed = { ...ground, method_label: 'Changed' };

      const outcome = transaction(async (options): Promise<unknown> => {
        if (write === 'create')
          return host.methods.create(project, { ...ground, method_code: '02' }, options);
        if (write === 'update') return host.methods.update(project, id, changed, options);
        if (write === 'upsert') return host.methods.upsert(project, changed, options);
        if (write === 'remove') return host.methods.remove(project, id, options);
        if (write === 'a refused create') return host.methods.create(project, ground, options);
        return host.methods.update(project, id, { ...ground, method_code: '01' }, options);
      });

      const { code } = (await outcome.catch((thrown: unknown) => thrown)) as { code?: string };
      expect(code).toBe(write.startsWith('a refused') ? 'duplicate_method' : undefined);
    },
  );

  onlyWhere('connections', () => {
    it('a stream of events belongs to the transaction in which it was made', async () => {
      const stream = await transaction(async (options) => {
        await host.events.record({ projectId: project, orderId: 'o' }, event, options);
        return { events: host.events.stream({ projectId: project, orderId: 'o' }, options) };
      });

      await expect(stream.events.next()).rejects.toThrow('its transaction had ended');
    });
  });

  it('a history has each event of the transaction once, until it is rolled back', async () => {
    const recorded = transaction(async (options) => {
      const { repeated: _repeated, ...first } = await host.events.record(
        { projectId: project, orderId: 'o' },
        event,
        options,
      );
      const again = await host.events.record({ projectId: project, orderId: 'o' }, event, options);
      const listed = await host.events.findAll({ projectId: project, orderId: 'o' }, options);
      const streamed = [];
      for await (const one of host.events.stream({ projectId: project, orderId: 'o' }, options))
        streamed.push(one);
      expect([again, listed, streamed]).toEqual([{ ...first, repeated: true }, [first], [first]]);
      throw new Error('rollback');
    });

    await expect(recorded).rejects.toThrow('rollback');
    expect(await host.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
    const fresh = await host.events.record(
      { projectId: project, orderId: 'o' },
      { ...event, message: 'after all' },
    );
    expect(fresh).toMatchObject({ message: 'after all', repeated: false });
  });
});

onlyWhere('connections', () => {
  describe('a call that is given the manager of the DataSource', () => {
    type Call = (project: string, id: string, options: Options) => Promise<unknown>;

    it.each<[string, Call]>([
      [
        'create',
        (project, _, options) => host.methods.create(project, { ...ground, method_code: '01' }, options),
      ],
      ['list', (project, _, options) => host.methods.list(project, {}, options)],
      [
        'findByCodes',
        (project, _, options) =>
          host.methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' }, options),
      ],
      [
        'record',
        (project, _, options) => host.events.record({ projectId: project, orderId: 'o' }, event, options),
      ],
    ])('leaves the ambient transaction: %s', async (_name, call) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const { dataSource } = host.app.database;
      // This transaction is over, so a call that joined it would fail.
      const over = await dataSource.transaction((manager) => Promise.resolve(manager));

      const joined = ambient.run(over, () => call(project, id, {}));
      await expect(joined).rejects.toThrow('its transaction had ended');
      const left = await ambient.run(over, () => call(project, id, { manager: dataSource.manager }));

      expect(left).not.toBeNull();
    });
  });
});

describe('a route inside an ambient transaction', () => {
  it.each(['list', 'tree'] as const)(
    '%s responds with 304 only for the ETag of what the transaction sees',
    async (route) => {
      const shop = host.shop();
      await host.methods.create(shop.project, ground);
      const read = (etag = '') => {
        const headers = { 'if-none-match': etag };
        return route === 'list' ? shop.list('', headers) : shop.tree(headers);
      };
      const tagOf = ({ headers }: { headers: Headers }): string => headers.get('etag') ?? '';
      const before = tagOf(await read());
      const statuses: number[] = [];

      const within = inTransaction(host.dataSource, async (manager) => {
        current = manager;
        statuses.push((await read(before)).status);
        await host.methods.create(shop.project, { ...ground, method_code: '01' });
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

  it.each(['list', 'tree'] as const)(
    '%s shows a change by SQL to nobody else when it is rolled back',
    async (route) => {
      const shop = host.shop();
      await host.methods.create(shop.project, ground);
      const read = async (): Promise<string> => (await (route === 'list' ? shop.list() : shop.tree())).text;

      // Nobody has read this revision of the project before.
      const within = inTransaction(host.dataSource, async (manager) => {
        current = manager;
        // SQL does not change the revision of the project.
        await manager.update(ShippingMethod, { projectId: shop.project }, { methodLabel: 'By SQL' });
        expect(await read()).toContain('By SQL');
        throw new Error('rollback');
      });
      await expect(within).rejects.toThrow('rollback');
      current = undefined;

      expect(await read()).toContain('UPS Ground');
    },
  );
});
