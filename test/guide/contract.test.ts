import { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { ContractTarget, embeddedTypeOrmModule, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';

describe('the shipping routes', () => {
  let app: INestApplication;
  let target: ContractTarget;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule(), ShippingModule.forRoot()],
    }).compile();
    app = testing.createNestApplication();
    await app.listen(0, '127.0.0.1');
    target = { origin: await app.getUrl(), orderEvents: app.get(OrderEventsService) };
  }, 60_000);

  afterAll(() => app?.close(), 60_000);

  for (const { title, run } of shippingContract(() => target)) it(title, () => run());
});
