import { Test, type TestingModule } from '@nestjs/testing';
import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';

// docs/guide/mounts.md shows this code.

const shop = ShippingModule.forRoot();
const wholesale = ShippingModule.forRoot({
  dataSource: 'wholesale',
  http: { path: 'wholesale/:project_id' },
});

describe('two mounts', () => {
  let app: TestingModule;
  beforeAll(async () => {
    const imports = [embeddedTypeOrmModule(), embeddedTypeOrmModule({ name: 'wholesale' }), shop, wholesale];
    app = await Test.createTestingModule({ imports }).compile();
    await app.init();
  });
  afterAll(() => app?.close());

  it('are distinguished by their constants', async () => {
    const methods = app.select(wholesale).get(ShippingMethodsService, { strict: true });
    await methods.create('acme', ground);

    const other = app.select(shop).get(ShippingMethodsService, { strict: true });

    expect((await methods.list('acme')).meta.total).toBe(1);
    expect((await other.list('acme')).meta.total).toBe(0);
  });
});
