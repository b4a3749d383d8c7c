import { type INestApplication } from '@nestjs/common';
import { OrderEventsService, ShippingMethodsService, ShippingProject } from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { defaultMethods, demoMethods, demoOrders } from './demo-data.js';
import { ShopOrder } from './shop/shop-order.entity.js';

/** Fills a database that has no project. One transaction stores all rows, so a killed process never leaves a part. */
export async function fillDemo(app: INestApplication): Promise<void> {
  const dataSource = app.get(DataSource);
  const methods = app.get(ShippingMethodsService);
  const events = app.get(OrderEventsService);
  if (await dataSource.manager.exists(ShippingProject)) return;
  await dataSource.transaction(async (manager) => {
    await methods.upsertMany('default', defaultMethods, { manager });
    await methods.upsertMany('demo', demoMethods, { manager });
    for (const [orderId, { chosen, history }] of Object.entries(demoOrders)) {
      for (const [occurred_at, type, actor, data] of history)
        await events.record({ projectId: 'demo', orderId }, { occurred_at, type, actor, data }, { manager });
      const method = await methods.findByCodes('demo', chosen, { manager });
      if (method) await manager.insert(ShopOrder, { projectId: 'demo', orderId, methodId: method.id });
    }
  });
}
