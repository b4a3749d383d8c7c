import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';

const project = 'shop';
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

// The SQL as PostgreSQL gets it, for reviewers. `npx vitest run test/postgres/statements.test.ts -u` updates the file.
describe('the statements', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
  });
  afterAll(() => app?.close());

  /** The statements that a call sends, each text once. */
  const sentBy = async (call: () => Promise<unknown>): Promise<string[]> => {
    const { logger } = app.database.dataSource;
    const logged = vi.spyOn(logger, 'logQuery');
    await call();
    const texts = logged.mock.calls.map(([text]) => text.replaceAll(/"test_\w+"\./g, ''));
    logged.mockRestore();
    return [...new Set(texts)].filter((text) => text.includes('shipping_'));
  };

  it('are the ones in the committed file', async () => {
    const { dataSource } = app.database;
    const inTransaction = (call: (options: object) => Promise<unknown>) => () =>
      dataSource.transaction((manager) => call({ manager }));
    let id = '';
    const calls: Record<string, () => Promise<unknown>> = {
      'a create in a project without a row, in a batch and then alone': async () => {
        ({ id } = await methods.create(project, ground));
      },
      'a find by id': () => methods.find(project, id),
      'a find by codes': () => methods.findByCodes(project, 'ups', '03'),
      'an update': () => methods.update(project, id, { ...ground, sort_order: 1 }),
      'an update with new codes, in a transaction': inTransaction((options) =>
        methods.update(project, id, { ...ground, method_code: '04' }, options),
      ),
      'a page': () => methods.list(project),
      'a page from the cache': () => methods.list(project),
      'a page by conditions': () =>
        methods.list(project, {
          q: 'ground',
          filter: { carrier_code: ['ups', 'dhl'] },
          raw_filters: [{ or: [{ field: 'method_label', op: 'starts', value: 'UPS' }] }],
        }),
      'a tree': () => methods.tree(project),
      'a page of a project with use_default': async () => {
        await methods.update(project, id, { ...ground, use_default: true });
        await methods.list(project, { q: 'ground' });
      },
      'a delete': () => methods.remove(project, id),
      'an event': () => events.record({ projectId: project, orderId: '1', type: 'order.placed' }),
      'a history': () => events.list(project, '1'),
    };

    const sections: string[] = [];
    const known = new Set<string>();
    for (const [title, call] of Object.entries(calls)) {
      const fresh = (await sentBy(call)).filter((text) => !known.has(text));
      for (const text of fresh) known.add(text);
      sections.push(`-- ${title}\n${fresh.map((text) => `${text.trim()};\n`).join('\n')}`);
    }

    await expect(sections.join('\n')).toMatchFileSnapshot('statements.sql');
  });
});
