import { Logger } from '@nestjs/common';
import { ShippingMethod } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ground } from '../support/client.js';
import { type RoleDatabase, sqlOf, statementsOf, withRole } from './application-role.js';
import { postgres, titleOf } from './databases.js';
import { type EngineHost } from './host.js';

// docs/dba.md shows this SQL and asTenant().

describe.skipIf(postgres.missing !== undefined)(`row-level security on ${titleOf(postgres)}`, () => {
  let database: RoleDatabase;
  let host: EngineHost;
  let warnings: string[];
  beforeEach(async () => {
    database = await withRole(await postgres.create());
    await database.run('sql/rights-postgres');
    host = await database.start();
    await host.methods.create('default', { ...ground, method_label: 'Default' });
    for (const tenant of ['acme', 'other']) {
      await host.methods.create(tenant, { ...ground, use_default: true });
      await host.events.record({ projectId: tenant, orderId: 'o' }, { type: 'order.placed', message: 'Ada' });
    }
    await host.close();
  });
  afterEach(async () => {
    await host?.close();
    await database?.close();
  });
  const started = async (): Promise<EngineHost> => {
    const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    host = await database.start();
    warnings = warned.mock.calls.map(([message]) => String(message));
    warned.mockRestore();
    return host;
  };

  const asTenant = <Result>(
    tenant: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> =>
    host.dataSource.transaction(async (manager) => {
      await manager.query(
        `SELECT set_config('row_security', 'on', true), set_config('app.tenant', $1, true)`,
        [tenant],
      );
      return work(manager);
    });

  const theft = (): Promise<unknown> =>
    asTenant('acme', (manager) =>
      manager.update(ShippingMethod, { projectId: 'default' }, { projectId: 'acme', methodCode: 'stolen' }),
    );

  it('shows a tenant its rows after each statement of the file, if the application names the tenant already', async () => {
    const { methods } = await started();
    const { role, place } = database;
    const seen: number[] = [];

    for (const statement of statementsOf(sqlOf('sql/row-level-security', role, place))) {
      await database.owner.query(statement);
      const { data } = await asTenant('acme', (manager) => methods.list('acme', {}, { manager }));
      seen.push(data.length);
    }

    expect(new Set(seen)).toEqual(new Set([1]));
  });

  it('that names a tenant in each transaction lets every call with { manager } see this tenant only', async () => {
    await database.run('sql/row-level-security');
    const { methods, events } = await started();
    const [order, others] = [
      { projectId: 'acme', orderId: 'o' },
      { projectId: 'other', orderId: 'o' },
    ];

    await asTenant('acme', async (manager) => {
      const [method] = await methods.findActive('acme', { manager });
      const id = method?.id ?? '';
      expect((await methods.findOrFail('acme', id, { manager, lock: true })).method_label).toBe('Default');
      await methods.update('acme', id, { sort_order: 7 }, { manager });
      await methods.create('acme', { ...ground, method_code: 'express' }, { manager });
      await events.record(order, { type: 'order.paid', dedupe_key: 'paid' }, { manager });
      expect(await events.findAll(order, { manager })).toHaveLength(2);
      expect(await events.redactHistory(order, { manager })).toBe(1);
      expect(await events.findAll(others, { manager })).toEqual([]);
      expect(await events.removeHistories('other', { manager })).toBe(0);
      expect(await events.removeHistories('acme', { manager })).toBe(2);
      expect(await methods.removeAll('acme', { manager })).toBe(2);
    });
    const ofOther = asTenant('acme', (manager) => methods.create('other', ground, { manager }));
    await expect(ofOther).rejects.toThrow('row-level security');
    const ofDefaults = asTenant('acme', async (manager) => {
      const [shared] = await methods.findActive('default', { manager });
      await methods.update('default', shared?.id ?? '', { sort_order: 1 }, { manager });
    });
    await expect(ofDefaults).rejects.toThrow('row-level security');
    await expect(theft()).rejects.toThrow('permission denied');

    expect(await asTenant('other', (manager) => events.findAll(others, { manager }))).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('docs/dba.md#row-level-security')]);
  });

  it('that names a tenant in each transaction makes a call outside of one fail, also after such a transaction', async () => {
    await database.run('sql/row-level-security');
    const { methods, events } = await started();

    for (const _time of ['before', 'after']) {
      await expect(events.removeHistories('acme')).rejects.toThrow('row-level security');
      await expect(events.removeHistory({ projectId: 'acme', orderId: 'o' })).rejects.toThrow('row-level');
      await expect(methods.findActive('acme')).rejects.toThrow('row-level security');
      await asTenant('acme', (manager) => methods.findActive('acme', { manager }));
    }
  });

  it('keeps the defaults from a tenant if its rights are narrowed again after rights-postgres.sql', async () => {
    const file = sqlOf('sql/row-level-security', database.role, database.place);
    await database.run('sql/row-level-security');
    await database.run('sql/rights-postgres');
    for (const statement of statementsOf(file).filter((sql) => /^\s*(revoke|grant)/.test(sql)))
      await database.owner.query(statement);
    await started();

    await expect(theft()).rejects.toThrow('permission denied');
  });

  it('with a policy for all rows changes nothing for the role of the application', async () => {
    await database.run('sql/row-level-security-all-rows');
    for (const table of ['shipping_method', 'shipping_project', 'shipping_order_event'])
      await database.owner.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
    const { methods, events } = await started();

    expect(await methods.findActive('acme')).toHaveLength(1);
    expect(await methods.findActive('acme')).toHaveLength(1);
    expect(methods.cacheStats().hits).toBeGreaterThan(0);
    expect(await events.removeHistories('acme')).toBe(1);
    expect(await methods.removeAll('acme')).toBe(1);
  });

  it('with policies that hide rows makes a removal return 0, of which only the warning at boot tells', async () => {
    await database.owner.query('ALTER TABLE shipping_order_event ENABLE ROW LEVEL SECURITY');
    const { events } = await started();

    expect(await events.removeHistories('acme')).toBe(0);
    expect(warnings).toEqual([expect.stringMatching(/active on .*shipping_order_event.* for the role/)]);
  });
});
