import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { emitted } from '../support/emitted.js';

describe('the stream of changes', () => {
  const host = mounted();
  const seen = emitted(() => host.methods.changes);

  it('reports inherited values, and no update that changes nothing', async () => {
    const project = freshProject();
    await host.methods.create('default', { ...ground, method_label: 'Default' });
    const created = await host.methods.create(project, { ...ground, use_default: true });
    seen.length = 0;

    await host.methods.update(project, created.id, { ...ground, method_label: 'Default' });
    const updated = await host.methods.update(project, created.id, {
      ...ground,
      method_label: 'Default',
      is_active: false,
    });
    await host.methods.remove(project, created.id);

    expect([created, updated].map(({ method_label }) => method_label)).toEqual(['Default', 'Default']);
    expect(seen).toEqual([
      { type: 'updated', before: created, after: updated },
      { type: 'removed', before: updated, after: null },
    ]);
  });

  it('reports what was stored, even if a subscriber or the caller changes the objects', async () => {
    const project = freshProject();
    const editing = host.methods.changes.subscribe(({ after }) =>
      Object.assign(after ?? {}, { meta: 'edited' }),
    );

    await host.dataSource.transaction(async (manager) => {
      Object.assign(await host.methods.create(project, ground, { manager }), { method_label: 'edited' });
    });
    const returned = await host.methods.create(project, { ...ground, method_code: '01' });
    editing.unsubscribe();

    expect(seen[0]?.after?.method_label).toBe('UPS Ground');
    expect(returned.meta).toEqual({});
  });
});

it('the stream of changes works on a DataSource that is initialised late, and initialised again', async () => {
  const database = await testDatabase();
  // The embedded database has one connection.
  await database.dataSource.destroy();
  const testing = await Test.createTestingModule({
    imports: [
      TypeOrmModule.forRootAsync({
        useFactory: () => ({ ...database.options, manualInitialization: true }),
      }),
      ShippingModule.forRoot({ isGlobal: true }),
    ],
  }).compile();
  const dataSource = testing.get(DataSource);
  await testing.init();
  await dataSource.initialize();
  const methods = testing.get(ShippingMethodsService);
  const seen: string[] = [];
  methods.changes.subscribe(({ type }) => seen.push(type));
  const rolledBack = (): Promise<unknown> =>
    dataSource.transaction(async (manager) => {
      await methods.create(freshProject(), ground, { manager });
      throw new Error('rollback');
    });

  await expect(rolledBack()).rejects.toThrow('rollback');
  await dataSource.destroy();
  await dataSource.initialize();
  await expect(rolledBack()).rejects.toThrow('rollback');
  await dataSource.transaction((manager) => methods.create(freshProject(), ground, { manager }));
  expect(seen).toEqual(['created']);

  await testing.close();
  await database.close();
});
