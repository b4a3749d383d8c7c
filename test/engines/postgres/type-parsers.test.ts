import { type DuplicateMethodError, OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import pg from 'pg';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { Client, freshProject } from '../../support/client.js';
import { addEvents, addMethods } from '../../support/rows.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
/** Every type that `pg` names, except `text`: a host that changes the parser of `text` breaks its own queries. */
const oids = Object.values(pg.types.builtins).filter((oid) => oid !== pg.types.builtins.TEXT);

describe('a host with parsers of its own for every type but text', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  let target: ContractTarget;
  const usual = new Map(oids.map((oid) => [oid, pg.types.getTypeParser(oid)]));
  const useOdd = (): void => {
    for (const oid of oids) pg.types.setTypeParser(oid, (text: string) => ({ odd: text }));
  };
  const useUsual = (): void => {
    for (const [oid, parser] of usual) pg.types.setTypeParser(oid, parser);
  };
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
    target = { origin: app.origin, orderEvents: events, defaultsProjectId: 'default' };
    await methods.create('default', { ...ground, method_label: 'Default', meta: { a: 1 } });
    useOdd();
  });
  afterAll(async () => {
    useUsual();
    await app?.close();
  });

  /** The results of all calls of the services, without the ids, times and project names, which always differ. */
  const results = async (manager?: EntityManager): Promise<unknown> => {
    const project = freshProject();
    const options = { manager };
    const { id } = await methods.create(project, { ...ground, sort_order: 3 }, options);
    const event = { projectId: project, orderId: 'o', type: 'note.added', data: { n: 1 }, dedupeKey: 'k' };
    const all = [
      await methods.update(project, id, { ...ground, use_default: true }, { ...options, etags: ['"1"'] }),
      await methods.upsert(project, { ...ground, is_active: false }, options),
      await methods.upsert(project, { ...ground, method_code: '04' }, options),
      await methods
        .create(project, { ...ground, meta: null }, options)
        .catch(({ code, existingId, identical }: DuplicateMethodError) => [
          code,
          existingId === id,
          identical,
        ]),
      await methods.find(project, id, options),
      await methods.findByCodes(project, 'ups', '04', options),
      await methods.list(project, {}, options),
      await methods.list(project, { q: 'default', filter: { version: 3 } }, options),
      await methods.findActive(project, options),
      await methods.tree(project, options),
      await events.record(event, options),
      await events.record(event, options),
      await events.list(project, 'o', options),
      await methods.remove(project, id, options),
      await methods.find(project, id, options).catch(({ code }: { code: string }) => code),
    ];
    const text = JSON.stringify(all).replaceAll(project, 'project');
    return JSON.parse(text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time').replace(/\w{8}-[\w-]{27}/g, 'id'));
  };

  it('gets the same results from all calls of the services, in its own transaction and outside of it', async () => {
    const inTransaction = (): Promise<unknown> =>
      app.database.dataSource.transaction((manager) => results(manager));

    const odd = [await results(), await inTransaction()];

    expect(await app.database.dataSource.query('SELECT 1 AS one')).toEqual([{ one: { odd: '1' } }]);
    useUsual();
    const asUsual = [await results(), await inTransaction()];
    useOdd();
    expect(odd).toEqual(asUsual);
  });

  it('gets long histories and large trees completely', async () => {
    const shop = new Client(app.origin, freshProject());
    const { manager } = app.database.dataSource;
    await addEvents(manager, { projectId: shop.project, orderId: 'long' }, 450);
    await addMethods(manager, shop.project, 1100, (n) => ({ carrierCode: `c${n % 7}`, sortOrder: n }));

    const { body: history } = await shop.events('long');
    const { body: tree } = await shop.tree();

    expect(history.data).toHaveLength(450);
    expect(tree.data.reduce((sum, carrier) => sum + carrier.methods.length, 0)).toBe(1100);
  });

  for (const { title, run } of shippingContract(() => target)) it(title, () => run());
});
