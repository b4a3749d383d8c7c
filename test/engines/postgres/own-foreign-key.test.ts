import { MethodInUseError } from 'nestjs-shipping';
import { expect, it } from 'vitest';
import { mounted } from '../../mounted.js';
import { replicate } from '../../support/citus.js';
import { ground } from '../../support/client.js';

const host = mounted();

it('a foreign key of the host on our table gives its own error', async () => {
  const { project } = host.shop();
  const methods = host.dataSource.getMetadata('ShippingMethod').tablePath;
  const carriers = methods.replace('shipping_method', 'carrier');
  await host.dataSource.query(`CREATE TABLE ${carriers} (code varchar(64) COLLATE "C" PRIMARY KEY)`);
  await replicate(host.dataSource.manager, carriers);
  await host.dataSource.query(`INSERT INTO ${carriers} VALUES ('ups')`);
  await host.dataSource.query(
    `ALTER TABLE ${methods} ADD CONSTRAINT fk_carrier FOREIGN KEY (carrier_code) REFERENCES ${carriers}`,
  );
  const { id } = await host.methods.create(project, ground);
  const unknown = { ...ground, carrier_code: 'unknown' };

  for (const refused of [host.methods.create(project, unknown), host.methods.update(project, id, unknown)]) {
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(MethodInUseError);
    expect(String(error)).toContain('fk_carrier');
  }
});
