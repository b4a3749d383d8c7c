import { type AddressInfo } from 'node:net';
import { type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type TestDatabase } from '../support/database.js';

export interface Host {
  app: INestApplication;
  origin: string;
}

/** `TypeOrmModule` over a DataSource that is open already: the embedded database has one connection only. */
export function typeOrm(
  { options, dataSource }: Pick<TestDatabase, 'options' | 'dataSource'>,
  name?: string,
) {
  return TypeOrmModule.forRootAsync({
    name,
    useFactory: () => options,
    dataSourceFactory: () => Promise.resolve(dataSource),
  });
}

export function compiled(
  imports: ModuleMetadata['imports'],
  more: ModuleMetadata = {},
): Promise<TestingModule> {
  return Test.createTestingModule({ ...more, imports }).compile();
}

/** The platforms of a host, each as Nest sets it up. */
export const platforms = {
  Express: () => new ExpressAdapter(),
  Fastify: () => new FastifyAdapter(),
};
export type Platform = keyof typeof platforms;
export const platformNames = Object.keys(platforms) as Platform[];

export async function listening(
  testing: TestingModule,
  configure: (app: INestApplication) => unknown = () => undefined,
  platform: Platform = 'Express',
): Promise<Host> {
  const app = testing.createNestApplication<NestExpressApplication | NestFastifyApplication>(
    platforms[platform](),
    { logger: ['error', 'warn'] },
  );
  configure(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, origin: `http://127.0.0.1:${port}` };
}
