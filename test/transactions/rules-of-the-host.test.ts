import { MethodInUseError, OrderEvent } from 'nestjs-shipping';
import { type QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { isCitus } from '../support/citus.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';

/** The fields of an error that every driver has. */
type DriverError = Error & { code: string };

const host = mounted();

describe('a rule of the host in the database', () => {
  it.each(['INSERT', 'UPDATE'] as const)(
    'that refuses an %s makes the call fail with its message',
    async (on) => {
      const project = freshProject();
      await host.methods.create(project, ground);
      const allow = await engine.refuse(host.dataSource.manager, {
        table: 'shipping_method',
        on,
        where: { project_id: project },
        message: 'The host says no',
      });
      const method_code = on === 'INSERT' ? '01' : ground.method_code;

      const written = host.methods.upsert(project, { ...ground, method_code, method_label: 'Changed' });

      await expect(written).rejects.toThrow('The host says no');
      await allow();
      expect((await host.methods.list(project)).data).toMatchObject([ground]);
    },
  );

  it('that refers to the codes prevents new codes and a removal', async () => {
    const { manager } = host.dataSource;
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    await engine.createQuotes(manager);
    await engine.addQuote(manager, project, 'ups', '03');

    for (const code of [{ method_code: '04' }, { carrier_code: 'dhl' }])
      await expect(host.methods.update(project, id, { ...ground, ...code })).rejects.toThrow(
        MethodInUseError,
      );
    await expect(host.methods.remove(project, id)).rejects.toThrow(MethodInUseError);
    expect(await host.methods.update(project, id, { ...ground, sort_order: 1 })).toMatchObject({
      version: 2,
    });
  });

  // On Citus, the error names the index of a shard.
  it.skipIf(isCitus)('that makes another column unique is not reported as a duplicate method', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const { id } = await host.methods.create(project, {
      ...ground,
      method_code: '01',
      method_label: 'Other',
    });
    await engine.makeLabelsUnique(host.dataSource.manager, project);

    const same = host.methods.update(project, id, { ...ground, method_code: '01' });

    // MySQL writes the table before the name of the index.
    await expect(same).rejects.toThrow(/["'.]labels["']/);
  });

  // On Citus, a unique index must contain the project.
  it.skipIf(isCitus)(
    "that makes a column unique refuses an event, and keeps another tenant's event",
    async () => {
      const { database } = host.app;
      const type = 'order.placed' as const;
      const theirs = [
        { projectId: freshProject(), orderId: 'o' },
        { type, dedupe_key: 'theirs' },
      ] as const;
      const first = await host.events.record(...theirs);
      const ours = freshProject();
      const errorOf = (record: Promise<unknown>): Promise<unknown> =>
        record.catch(({ driverError: { code, message } }: QueryFailedError<DriverError>) => ({
          code,
          message,
        }));
      await host.dataSource.query(
        `CREATE UNIQUE INDEX types ON ${database.table('shipping_order_event')} (type)`,
      );

      const withoutKey = await errorOf(host.events.record({ projectId: ours, orderId: 'o' }, { type }));
      const withKey = await errorOf(
        host.events.record({ projectId: ours, orderId: 'o' }, { type, dedupe_key: 'ours' }),
      );
      const joined = await errorOf(
        host.dataSource.transaction((manager) =>
          host.events.record({ projectId: ours, orderId: 'o' }, { type, dedupe_key: 'ours' }, { manager }),
        ),
      );

      expect(withoutKey).toMatchObject({ message: expect.stringMatching(/unique|duplicate/i) });
      expect([withKey, joined]).toEqual([withoutKey, withoutKey]);
      expect(await host.dataSource.manager.find(OrderEvent)).toMatchObject([
        { id: first.id, dedupeKey: 'theirs' },
      ]);
      expect(await host.events.record(...theirs)).toEqual({ ...first, repeated: true });
      expect(await host.events.findAll({ projectId: ours, orderId: 'o' })).toEqual([]);
    },
  );

  onlyWhere('changingTriggers', () => {
    it('that changes use_default decides what the method inherits', async () => {
      const project = freshProject();
      const { id } = await host.methods.create(project, { ...ground, use_default: true });
      const endRule = await engine.changeUseDefault(host.dataSource.manager);

      const updated = await host.methods.update(project, id, { ...ground, use_default: false });
      await endRule();

      expect(updated.use_default).toEqual(['method_label']);
      await host.methods.upsert('default', { ...ground, method_label: 'Default' });
      expect(await host.methods.find(project, id)).toMatchObject({
        method_label: 'Default',
        use_default: ['method_label'],
      });
    });
  });
});
