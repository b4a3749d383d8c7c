import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { shippingContract, testTypeOrmModule } from 'nestjs-shipping/testing';
import { AppModule, database } from './app.module';

describe('the shop', () => {
  let app: INestApplication;
  let origin: string;
  beforeAll(async () => {
    const testing = Test.createTestingModule({ imports: [AppModule] });
    const inMemory = testTypeOrmModule({ type: 'better-sqlite3' });
    const compiled = await testing.overrideModule(database).useModule(inMemory).compile();
    app = compiled.createNestApplication();
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  }, 60_000);
  afterAll(() => app.close());

  it('offers the active methods at checkout, in their order', async () => {
    const ups = { carrier_code: 'ups', carrier_label: 'UPS' };
    await app.get(ShippingMethodsService).upsertMany('shop', [
      { ...ups, method_code: '03', method_label: 'Ground', sort_order: 2 },
      { ...ups, method_code: '01', method_label: 'Express', sort_order: 1 },
      { ...ups, method_code: '65', method_label: 'Saver', is_active: false },
    ]);

    const response = await fetch(`${origin}/shops/shop/checkout/shipping`);

    expect(await response.json()).toEqual([
      { code: 'ups/01', label: 'Express' },
      { code: 'ups/03', label: 'Ground' },
    ]);
  });

  const target = () => ({ origin, orderEvents: app.get(OrderEventsService) });
  for (const { title, run } of shippingContract(target)) it(title, run);
});
