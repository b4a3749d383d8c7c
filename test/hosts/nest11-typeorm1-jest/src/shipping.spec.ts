import 'reflect-metadata';
import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OrderEvents, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, embeddedTypeOrm, shippingContract } from 'nestjs-shipping/testing';

describe('the shipping routes of this host', () => {
  let app: INestApplication;
  let target: ContractTarget;
  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrm(), ShippingModule.forRoot()],
    }).compile();
    app = testing.createNestApplication({ logger: ['warn', 'error'] });
    await app.listen(0, '127.0.0.1');
    target = { origin: await app.getUrl(), orderEvents: app.get(OrderEvents), defaultsProjectId: 'default' };
  });
  afterAll(() => app?.close());

  for (const { title, run } of shippingContract(() => target)) it(title, run);
});
