import { type INestApplication } from '@nestjs/common';
import {
  DatabaseUnavailableError,
  DuplicateMethodError,
  OrderEventsService,
  ShippingMethodsService,
  ShippingProject,
} from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { ShopOrder } from '../shop/shop-order.entity.js';
import { readConfig } from '../hardening/config.js';
import { step } from '../hardening/startup.js';
import { defaultMethods, demoMethods, demoOrders } from './demo-data.js';

const base = '/api/projects/demo/sales/orders';

/**
 * Fills a database that has no project. All rows are stored in one transaction, so a killed process never leaves
 * half of them.
 * @returns paths that show the demo; none with `DEMO=false`, or when the database has no project `demo`
 */
export async function prepareDemo(app: INestApplication): Promise<string[]> {
  if (!readConfig(process.env).demo) return [];
  const projects = await app.get(DataSource).manager.find(ShippingProject, { select: { projectId: true } });
  if (projects.length === 0) {
    const what = `${demoMethods.length} methods and ${Object.keys(demoOrders).length} orders`;
    await step(`Filling the project "demo" with ${what}`, () => seed(app));
  } else if (projects.some(({ projectId }) => projectId === 'demo')) {
    console.log('The project "demo" already exists from an earlier start.');
  } else {
    return [];
  }
  return [
    `${base}/shipments/methods?page=1&per_page=5&q=express`,
    `${base}/shipments/methods/tree`,
    `${base}/1001/events`,
  ];
}

async function seed(app: INestApplication): Promise<void> {
  const methods = app.get(ShippingMethodsService);
  const events = app.get(OrderEventsService);
  const filling = app.get(DataSource).transaction(async (manager) => {
    for (const method of defaultMethods) await methods.create('default', method, { manager });
    for (const method of demoMethods) await methods.create('demo', method, { manager });
    for (const [orderId, history] of Object.entries(demoOrders)) {
      for (const [occurredAt, type, actor, data] of history) {
        await events.record(
          { projectId: 'demo', orderId },
          { occurred_at: occurredAt, type, actor, data },
          { manager },
        );
      }
      const [, , , chosen] = history.find(([, type]) => type === 'shipping.selected') ?? [];
      const codes = {
        carrier_code: String(chosen?.['carrier_code']),
        method_code: String(chosen?.['method_code']),
      };
      const method = await methods.findByCodes('demo', codes, { manager });
      if (method) await manager.insert(ShopOrder, { projectId: 'demo', orderId, methodId: method.id });
    }
  });
  await filling.catch((error: unknown) => {
    // Another instance has filled the database meanwhile.
    const isLost = error instanceof DatabaseUnavailableError && error.contention === 'race';
    if (!isLost && !(error instanceof DuplicateMethodError)) throw error;
  });
}
