import {
  OrderEvents,
  type ShippingMethodChange,
  ShippingMethods,
  type UpsertShippingMethodRequest,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';

// What a shop asks for in its first week. A recipe is a function of what a host injects, and a test calls it.

const csv = `carrier,code,label,days
ups,03,UPS Ground,5
ups,01,UPS Express,1
dhl,paket,DHL Paket,2
`;

/** A row of a CSV without quotes as a method. */
function methodOf(row: string): UpsertShippingMethodRequest {
  const [carrier_code = '', method_code = '', method_label = '', days] = row.split(',');
  return { carrier_code, method_code, method_label, meta: { days: Number(days) } };
}

/** Makes a project what the file says. Methods that the file does not name are removed. */
async function importCsv(methods: ShippingMethods, projectId: string, file: string): Promise<string> {
  const [, ...rows] = file.trim().split('\n');
  const { created, updated, unchanged, removed } = await methods.upsertMany(projectId, rows.map(methodOf), {
    removeOthers: true,
  });
  return `${created.length} new, ${updated.length} changed, ${unchanged.length} as before, ${removed.length} gone`;
}

/** Saves the order in which a screen shows the methods. @param ids first to last */
async function saveOrder(methods: ShippingMethods, projectId: string, ids: string[]): Promise<void> {
  const { data } = await methods.list(projectId, { filter: { id: ids }, per_page: 100 });
  const requests = data.map(({ id, carrier_code, method_code, method_label }) => ({
    carrier_code,
    method_code,
    method_label,
    sort_order: ids.indexOf(id),
  }));
  await methods.upsertMany(projectId, requests);
}

/** Makes a tenant, whose methods are the defaults from then on. */
async function onboard(methods: ShippingMethods, tenantId: string, manager: EntityManager): Promise<void> {
  // … the tenant's own row …
  await methods.adoptDefaults(tenantId, { manager });
}

/** Removes all that is stored of a tenant. Methods first: if one is still in use, nothing is removed. */
async function offboard(methods: ShippingMethods, events: OrderEvents, tenantId: string): Promise<void> {
  await methods.removeProject(tenantId);
  await events.removeProject(tenantId);
}

/** For the option `onChange`: who has changed what, in the transaction of the change. */
const auditTrail =
  (events: () => OrderEvents, user: () => string) =>
  async ({ type, before, after }: ShippingMethodChange, manager: EntityManager): Promise<void> => {
    const method = after ?? before;
    if (!method) return;
    await events().record(
      {
        projectId: method.project_id,
        orderId: `method:${method.id}`,
        type: `method.${type}`,
        data: { version: method.version, label: method.method_label },
        actor: { type: 'user', id: user() },
      },
      { manager },
    );
  };

describe('recipes', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  let user = 'ann';
  beforeAll(async () => {
    app = await testApp({
      shipping: {
        onChange: auditTrail(
          () => events,
          () => user,
        ),
      },
    });
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
  });
  afterAll(() => app?.close());

  it('import a CSV every night', async () => {
    const project = freshProject();

    const nights = [
      await importCsv(methods, project, csv),
      await importCsv(methods, project, csv),
      await importCsv(methods, project, csv.replace('DHL Paket,2', 'DHL Paket,3').replace(/ups,01.*\n/, '')),
    ];

    expect(nights).toEqual([
      '3 new, 0 changed, 0 as before, 0 gone',
      '0 new, 0 changed, 3 as before, 0 gone',
      '0 new, 1 changed, 1 as before, 1 gone',
    ]);
    expect((await methods.list(project)).data).toMatchObject([{ meta: { days: 3 } }, { meta: { days: 5 } }]);
  });

  it('import nothing of a file with a mistake, and say where it is', async () => {
    const project = freshProject();
    await importCsv(methods, project, csv);

    const importing = importCsv(methods, project, csv.replace('UPS Express', '').replace(/dhl.*\n/, ''));

    await expect(importing).rejects.toMatchObject({
      errors: [{ pointer: '/1/method_label', code: 'length' }],
    });
    expect((await methods.list(project)).meta.total).toBe(3);
  });

  it('save the order of a screen', async () => {
    const project = freshProject();
    await importCsv(methods, project, csv);
    const { data } = await methods.list(project);
    const wanted = data.map(({ id }) => id).toReversed();

    await saveOrder(methods, project, wanted);

    const saved = (await methods.list(project)).data;
    expect(saved.map(({ id }) => id)).toEqual(wanted);
    expect(saved.map(({ meta }) => meta)).toEqual(data.map(({ meta }) => meta).toReversed());
  });

  it('onboard and offboard a tenant', async () => {
    const [tenant, other] = [freshProject(), freshProject()];
    await importCsv(methods, 'default', csv);
    const { dataSource } = app.database;
    for (const id of [tenant, other])
      await dataSource.transaction((manager) => onboard(methods, id, manager));
    await events.record({ projectId: tenant, orderId: '1', type: 'order.placed' });
    expect(await methods.findActive(tenant)).toHaveLength(3);

    await offboard(methods, events, tenant);

    expect(await methods.findActive(tenant)).toEqual([]);
    expect(await events.list(tenant, '1')).toEqual([]);
    expect(await methods.findActive(other)).toHaveLength(3);
  });

  it('keep an audit trail', async () => {
    const project = freshProject();
    const codes = { carrier_code: 'ups', method_code: '03' };
    const { id } = await methods.create(project, { ...codes, method_label: 'Ground' });
    user = 'bob';
    await methods.update(project, id, { ...codes, method_label: 'UPS Ground' });

    const trail = await events.list(project, `method:${id}`);

    expect(trail.map(({ type, actor, data }) => [type, actor?.id, data['label']])).toEqual([
      ['method.created', 'ann', 'Ground'],
      ['method.updated', 'bob', 'UPS Ground'],
    ]);
  });
});
