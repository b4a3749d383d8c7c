import 'reflect-metadata';
import { deepStrictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OrderEventsService } from 'nestjs-shipping';
import type { Seen, Shop } from '../clients/seen.js';
import { AppModule } from './app.module.js';
import { key } from './guarded.js';

interface Client {
  callAll: (shop: Shop) => Promise<Seen>;
}

const orderId = '1000042';
const headers = { authorization: `Bearer ${key}` };

/** The address of a host that already runs. Then the order has no events. */
const { ORIGIN } = process.env;
const app: INestApplication | undefined = ORIGIN
  ? undefined
  : await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
await app?.listen(0, '127.0.0.1');
const origin = ORIGIN ?? (await app?.getUrl()) ?? '';

const clients = new URL('../clients/', import.meta.url);
for (const folder of readdirSync(clients, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  for (const name of ['openapi-fetch', 'orval', 'hey-api']) {
    const { callAll } = (await import(new URL(`${folder.name}/${name}.js`, clients).href)) as Client;
    const project = `p-${randomUUID()}`;
    await app?.get(OrderEventsService).record({ projectId: project, orderId }, { type: 'order.placed' });

    const seen = await callAll({ origin, project, orderId, headers });

    deepStrictEqual(seen, {
      created: null,
      isRefusedByName: true,
      listed: ['UPS Ground'],
      carriers: ['ups'],
      updated: 2,
      outdated: 2,
      deleted: 204,
      events: app ? ['order.placed'] : [],
    });
    console.log(`✓ ${folder.name}: the client of ${name} calls all six routes`);
  }
}
await app?.close();
