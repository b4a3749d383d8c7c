import { ShippingMethod } from 'nestjs-shipping';
import { beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { renewRevision } from '../support/rows.js';

const defaults = { projectId: 'default' };
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('a transaction that reads defaults before they are committed', () => {
  const host = mounted();
  let tenant: string;
  beforeEach(async () => {
    tenant = freshProject();
    await host.methods.upsert('default', { ...ground, method_label: 'Committed' });
    await host.methods.create(tenant, { ...ground, use_default: true });
    // Nobody has read the defaults at this revision yet.
    await renewRevision(host.dataSource.manager, 'default');
  });

  const labelOf = async (project: string, options = {}): Promise<string | undefined> =>
    (await host.methods.list(project, {}, options)).data[0]?.method_label;

  it('shows a change by hand to nobody else when it is rolled back', async () => {
    const { dataSource } = host.app.database;

    const transaction = dataSource.transaction(async (manager) => {
      await manager.update(ShippingMethod, defaults, { methodLabel: 'Rolled back' });
      expect(await labelOf(tenant, { manager })).toBe('Rolled back');
      throw new Error('rollback');
    });

    await expect(transaction).rejects.toThrow('rollback');
    expect(await labelOf(tenant)).toBe('Committed');
  });
});
