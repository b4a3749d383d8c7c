import 'reflect-metadata';
import { bootstrap } from '@vendure/core';
import { configOn } from './config.js';

async function main(): Promise<void> {
  const app = await bootstrap(configOn('vendure.sqlite', Number(process.env['PORT'] ?? 3000)));
  const origin = await app.getUrl();
  console.log(`${origin}/shop-api and ${origin}/api/projects/shop/sales/orders/shipments/methods`);
}

void main();
