import { Test } from '@nestjs/testing';
import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrm } from 'nestjs-shipping/testing';
import { type MigrationInterface } from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';

describe('embeddedTypeOrm()', () => {
  it('gives each application that imports it a database of its own, which ends with that application', async () => {
    const database = embeddedTypeOrm();
    const start = () => Test.createTestingModule({ imports: [database, ShippingModule.forRoot()] }).compile();
    const [first, second] = [await start(), await start()];
    const method = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
    await first.get(ShippingMethods).create('p', method);

    await first.close();

    expect((await second.get(ShippingMethods).list('p')).meta.total).toBe(0);
    await second.close();
  });

  it('tells a mistake in a migration of the host at once', async () => {
    class Broken1900000000000 implements MigrationInterface {
      async up(): Promise<void> {
        await Promise.reject(new Error('No such column'));
      }

      async down(): Promise<void> {}
    }

    const start = Test.createTestingModule({
      imports: [embeddedTypeOrm({ migrations: [Broken1900000000000] })],
    }).compile();

    await expect(start).rejects.toThrow('No such column');
  });
});

describe('fake timers of a test', () => {
  afterEach(() => vi.useRealTimers());

  it('do not stop the services', async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrm(), ShippingModule.forRoot()],
    }).compile();
    const methods = testing.get(ShippingMethods);

    vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'Date'] });
    const found = await methods.findByCodes('p', 'ups', '03');
    vi.useRealTimers();

    expect(found).toBeNull();
    await testing.close();
  });
});
