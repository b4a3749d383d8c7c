import { type ShippingCallOptions, type FindMethodOptions, type ShippingMethodDto } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';

const inactive = { ...ground, is_active: false };
const renamed = { ...ground, method_code: 'new' };

const host = mounted();

type Find = (method: ShippingMethodDto, options: FindMethodOptions) => Promise<ShippingMethodDto | null>;

const byId: Find = ({ project_id, id }, options) => host.methods.find(project_id, id, options);
const byCodes: Find = ({ project_id }, options) => host.methods.findByCodes(project_id, ground, options);

onlyWhere('severalConnections', () => {
  describe('a find with a lock that waits for a change', () => {
    /** Calls `find` while the change is not committed. */
    const findDuring = async (
      find: Find,
      method: ShippingMethodDto,
      write: (options: ShippingCallOptions) => Promise<unknown>,
    ): Promise<unknown> => {
      let finding: Promise<unknown> | undefined;
      await host.dataSource.transaction('READ COMMITTED', async (manager) => {
        await write({ manager });
        finding = host.dataSource
          .transaction('READ COMMITTED', (waiting) => find(method, { manager: waiting, lock: true }))
          .catch((error: unknown) => error);
        await engine.someoneWaitsFor(manager);
      });
      return finding;
    };
    const created = (request: object = {}): Promise<ShippingMethodDto> =>
      host.methods.create(freshProject(), { ...ground, ...request });

    it.each([
      ['find', byId],
      ['findByCodes', byCodes],
    ])('shows the change: %s', async (_name, find) => {
      const method = await created();

      const found = await findDuring(find, method, (options) =>
        host.methods.update(method.project_id, method.id, inactive, options),
      );

      expect(found).toMatchObject({ id: method.id, is_active: false, version: 2 });
    });

    it.each([
      ['find', byId],
      ['findByCodes', byCodes],
    ])('finds nothing when the method has been removed: %s', async (_name, find) => {
      const method = await created();

      const found = await findDuring(find, method, (options) =>
        host.methods.remove(method.project_id, method.id, options),
      );

      expect(found).toBeNull();
    });

    it('loses a race when another method has the codes now', async () => {
      const method = await created();

      const outcome = await findDuring(byCodes, method, async (options) => {
        await host.methods.remove(method.project_id, method.id, options);
        await host.methods.create(method.project_id, ground, options);
      });

      expect(outcome).toMatchObject({ code: 'database_unavailable', contention: 'race' });
    });

    it('shows the change of the default', async () => {
      const defaultMethod = await host.methods.upsert('default', ground);
      const method = await created({ use_default: true });

      const found = await findDuring(byCodes, method, (options) =>
        host.methods.update('default', defaultMethod.id, { ...ground, method_label: 'New' }, options),
      );

      expect(found).toMatchObject({
        id: method.id,
        method_label: 'New',
        own: { method_label: 'UPS Ground' },
      });
      await host.methods.remove('default', defaultMethod.id);
    });

    const defaultId = async (options: ShippingCallOptions): Promise<string> =>
      (await host.methods.findByCodes('default', { carrier_code: 'ups', method_code: '03' }, options))?.id ??
      '';

    it.each<[string, object, (options: ShippingCallOptions, method: ShippingMethodDto) => Promise<unknown>]>([
      [
        'begins to inherit',
        {},
        (options, { project_id, id }) =>
          host.methods.update(project_id, id, { ...ground, use_default: true }, options),
      ],
      [
        'inherits, and gets other codes',
        { use_default: true },
        (options, { project_id, id }) => host.methods.update(project_id, id, renamed, options),
      ],
      [
        'gets the codes of a default',
        { ...renamed, use_default: true },
        (options, { project_id, id }) => host.methods.update(project_id, id, ground, options),
      ],
      [
        'loses its default',
        { use_default: true },
        async (options) => host.methods.remove('default', await defaultId(options), options),
      ],
      [
        'inherits from a default that gets other codes',
        { use_default: true },
        async (options) => host.methods.update('default', await defaultId(options), renamed, options),
      ],
    ])('loses a race when the method %s', async (_name, request, write) => {
      await host.methods.removeAll('default');
      await host.methods.create('default', ground);
      const method = await created(request);

      const outcome = await findDuring(byId, method, (options) => write(options, method));

      expect(outcome).toMatchObject({ code: 'database_unavailable', contention: 'race' });
      await host.methods.removeAll('default');
    });
  });

  describe('a find with a lock in a transaction that has read before', () => {
    const findAfterChange = async (level: 'READ COMMITTED' | 'REPEATABLE READ'): Promise<unknown> => {
      const method = await host.methods.create(freshProject(), ground);
      const finding = host.dataSource.transaction(level, async (manager) => {
        await host.methods.findActive(method.project_id, { manager });
        await host.methods.update(method.project_id, method.id, inactive);
        return byCodes(method, { manager, lock: true });
      });
      return finding.catch((error: unknown) => error);
    };

    it('shows a change that was committed meanwhile', async () => {
      expect(await findAfterChange('READ COMMITTED')).toMatchObject({ is_active: false });
    });

    it('never shows the older state at REPEATABLE READ', async () => {
      // PostgreSQL refuses to lock a row that is newer than the snapshot. MariaDB locks and shows the row.
      const expected = engine.has.failedTransactions ? { contention: 'race' } : { is_active: false };

      expect(await findAfterChange('REPEATABLE READ')).toMatchObject(expected);
    });
  });
});
