import { type AddressInfo } from 'node:net';
import { type INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type FastifyReply } from 'fastify';
import { ProblemDetailsFilter } from 'nestjs-shipping';
import { type DataSource, type DataSourceOptions } from 'typeorm';

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

/** An application on Fastify in which every error is a problem, also those of the router. */
export function fastifyApp(testing: TestingModule): NestFastifyApplication {
  const problems = new ProblemDetailsFilter();
  const adapter = new FastifyAdapter({
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error: Error, _request: unknown, reply: FastifyReply) => problems.send(error, reply),
  });
  const app = testing.createNestApplication<NestFastifyApplication>(adapter, { logger: ['error', 'warn'] });
  app.useGlobalFilters(problems);
  return app;
}

/** @returns `http://127.0.0.1:port` */
export async function listen(app: INestApplication): Promise<string> {
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
