import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { fillDemo } from './demo.js';
import { serveDocs } from './docs.js';

console.log('Starting. The first start creates the embedded database, which takes a few seconds.');
const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  logger: ['fatal', 'error', 'warn'],
});
// On SIGINT and SIGTERM, Nest completes the requests that are under way and closes the database.
app.enableShutdownHooks();
serveDocs(app);
await fillDemo(app);
// The sample has no login, so it listens on this machine only.
await app.listen(process.env['PORT'] || 3000, '127.0.0.1');

const origin = await app.getUrl();
console.log(`
nestjs-shipping sample: ${origin}
  a shop                  ${origin}/
  the page for the staff  ${origin}/shipping?project=demo&order=1001
  the API                 ${origin}/docs
  curl '${origin}/api/projects/demo/sales/orders/shipments/methods?q=express'
  curl '${origin}/api/projects/demo/sales/orders/1001/events'
`);
