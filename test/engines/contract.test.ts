import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, shippingContract, testTypeOrmModule } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTypeOrmEngines } from './test-type-orm-engines.js';

for (const { title, isMissing, options } of testTypeOrmEngines) {
  describe.skipIf(isMissing)(`the contract on ${title}`, () => {
    let app: INestApplication;
    let target: ContractTarget;
    beforeAll(async () => {
      const testing = await Test.createTestingModule({
        imports: [testTypeOrmModule(options), ShippingModule.forRoot()],
      }).compile();
      app = testing.createNestApplication();
      await app.listen(0, '127.0.0.1');
      const projectId = (): Promise<string> => Promise.resolve('the-only-one');
      target = { origin: await app.getUrl(), orderEvents: app.get(OrderEventsService), projectId };
    });
    afterAll(() => app?.close());
    it.each(shippingContract(() => target))('$title', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
      expect((await app.get(ShippingMethodsService).list('the-only-one')).data).toEqual([]);
    });
  });
}
