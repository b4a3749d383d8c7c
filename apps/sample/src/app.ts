import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type DataSource } from 'typeorm';
import { type ApiKey, requireApiKey } from './api-keys.js';
import { AppModule } from './app.module.js';
import { serveDocs } from './docs.js';
import { configureHttp, httpAdapter } from './http.js';
import { servePage } from './page.js';

/** Creates the whole application on an open, migrated database. It does not listen yet. */
export async function createApp(
  dataSource: DataSource,
  apiKeys: readonly ApiKey[] = [],
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.on(dataSource), httpAdapter(), {
    logger: ['warn', 'error', 'fatal'],
    abortOnError: false,
    bodyParser: false,
  });
  configureHttp(app);
  // A hook applies to the plugins that are registered after it. This one must apply to all of them.
  if (apiKeys.length > 0) requireApiKey(app.getHttpAdapter().getInstance(), apiKeys);
  servePage(app);
  serveDocs(app);
  return app;
}
