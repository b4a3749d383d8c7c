import { Test, type TestingModule } from '@nestjs/testing';
import { ShippingMethods, ShippingModule, shippingServices } from 'nestjs-shipping';
import { embeddedTypeOrm } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// docs/guide/mounts.md shows this code.

const shop = ShippingModule.forRoot();
const wholesale = ShippingModule.forRoot({
  dataSource: 'wholesale',
  http: { path: 'wholesale/:project_id' },
});

describe('two mounts', () => {
  let app: TestingModule;
  beforeAll(async () => {
    const imports = [embeddedTypeOrm(), embeddedTypeOrm({ name: 'wholesale' }), shop, wholesale];
    app = await Test.createTestingModule({ imports }).compile();
    await app.init();
  });
  afterAll(() => app?.close());

  it('are distinguished by the name of their DataSource', async () => {
    const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
    const { methods, events } = shippingServices(app, 'wholesale');
    await methods.create('acme', ground);
    await events.record({ projectId: 'acme', orderId: '1', type: 'order.placed' });

    const other = shippingServices(app, 'default').methods;

    expect((await methods.list('acme')).meta.total).toBe(1);
    expect((await other.list('acme')).meta.total).toBe(0);
    expect(() => shippingServices(app)).toThrow('several mounts');
    expect(app.get(ShippingMethods, { strict: false })).toBeInstanceOf(ShippingMethods);
  });
});
