import { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { ContractTarget, embeddedTypeOrmModule, shippingContract } from 'nestjs-shipping/testing';

describe('the shipping routes', () => {
  let app: INestApplication;
  let target: ContractTarget;

  // The first run on a machine creates the embedded database, which takes longer than a hook may by default.
  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule(), ShippingModule.forRoot()],
    }).compile();
    app = testing.createNestApplication();
    await app.listen(0, '127.0.0.1');
    target = { origin: await app.getUrl(), orderEvents: app.get(OrderEventsService) };
  }, 60_000);

  afterAll(() => app.close());

  for (const { title, run } of shippingContract(() => target)) it(title, run);
});
