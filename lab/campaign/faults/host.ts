import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { connection, schema } from '../../../apps/sample/src/database.js';
import { HealthController } from '../../../apps/sample/src/health.controller.js';
import { Checkout } from '../../../apps/sample/src/shop/checkout.service.js';
import { ShopController } from '../../../apps/sample/src/shop/shop.controller.js';
import { boundLeases, mysqlLimits, postgresLimits } from '../../../test/recipes/bounded-pool.js';

// The shop of the sample as a host in production: with the limits of docs/recipes/silent-server.md.

const { DATABASE_URL: url = '' } = process.env;
const limits = url.startsWith('postgres') ? postgresLimits : mysqlLimits;
const database = TypeOrmModule.forRootAsync({
  useFactory: (): TypeOrmModuleOptions => ({
    ...connection(process.env),
    ...schema,
    ...(url && limits),
    migrationsRun: true,
  }),
  dataSourceFactory: async (options) => {
    const dataSource = await new DataSource(options as DataSourceOptions).initialize();
    if (url) boundLeases(dataSource);
    return dataSource;
  },
});

@Module({
  imports: [database, ShippingModule.forRoot({ isGlobal: true }), TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, ShopController],
  providers: [Checkout],
})
class Host {}

// A client that keeps its connection delays the end of the process by this time.
const adapter = new FastifyAdapter({ keepAliveTimeout: 2_000 });
const app = await NestFactory.create<NestFastifyApplication>(Host, adapter, { logger: false });
app.useGlobalFilters(new ProblemDetailsFilter());
app.enableShutdownHooks(undefined, { useProcessExit: true });
await app.listen(process.env['PORT'] || 0, '127.0.0.1');
console.log(`nestjs-shipping host: ${await app.getUrl()}`);
