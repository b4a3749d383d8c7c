import { type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import { listen } from '../support/nest.js';

export { typeOrm } from '../support/nest.js';

export interface Host {
  app: INestApplication;
  origin: string;
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
  return { app, origin: await listen(app) };
}
