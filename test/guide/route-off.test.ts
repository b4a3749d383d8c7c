import { NotFoundException, UseGuards } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { Client, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// docs/guide/envelopes.md shows this code.

const off = {
  canActivate: () => {
    throw new NotFoundException();
  },
};
const shipping = ShippingModule.forRoot({ http: { routeDecorators: { remove: [UseGuards(off)] } } });

let database: TestDatabase;
let host: Host;
beforeAll(async () => {
  database = await testDatabase();
  host = await listening(await compiled([typeOrm(database), shipping]));
});
afterAll(async () => {
  await host?.app.close();
  await database?.close();
});

it('a route that is switched off responds with 404, and the others work', async () => {
  const shop = new Client(host.origin, 'acme');
  const { body } = await shop.create(ground);

  const removed = await shop.remove(body.id);

  expect(removed.status).toBe(404);
  expect((await shop.list()).body.meta.total).toBe(1);
});
