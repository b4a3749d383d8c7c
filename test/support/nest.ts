import { type AddressInfo } from 'node:net';
import { type INestApplication } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource, type DataSourceOptions } from 'typeorm';
import { configureHttp, httpAdapter } from '../../apps/sample/src/hardening/http.js';

/** `TypeOrmModule` over a DataSource that is open already: the embedded database has one connection only. */
export function typeOrm(
  { dataSource, options = dataSource.options }: { dataSource: DataSource; options?: DataSourceOptions },
  name?: string,
) {
  return TypeOrmModule.forRootAsync({
    name,
    useFactory: () => options,
    dataSourceFactory: () => Promise.resolve(dataSource),
  });
}

/** An application on Fastify with the HTTP setup of the sample. */
export function fastifyApp(testing: TestingModule): NestFastifyApplication {
  const app = testing.createNestApplication<NestFastifyApplication>(httpAdapter(), {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  configureHttp(app);
  return app;
}

/** @returns `http://127.0.0.1:port` */
export async function listen(app: INestApplication): Promise<string> {
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
