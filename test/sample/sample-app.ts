import { type INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type DataSource } from 'typeorm';
import { AppModule } from '../../apps/sample/src/app.module.js';
import { database, schema } from '../../apps/sample/src/database.js';
import { serveDocs } from '../../apps/sample/src/docs.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { listen, typeOrm } from '../support/nest.js';

export interface SampleApp {
  nest: INestApplication;
  database: TestDatabase;
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

/** The sample as its `main.ts` makes it, on a DataSource that is open. It does not listen yet. */
export async function createApp(dataSource: DataSource): Promise<NestFastifyApplication> {
  const testing = await Test.createTestingModule({ imports: [AppModule] })
    .overrideModule(database)
    .useModule(typeOrm({ dataSource }))
    .compile();
  const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  serveDocs(app);
  return app;
}

/** The sample in this process, on a database of its own. */
export async function sampleApp(): Promise<SampleApp> {
  const own = await testDatabase(schema);
  const app = await createApp(own.dataSource);
  const origin = await listen(app);
  return {
    nest: app,
    database: own,
    origin,
    close: async () => {
      await app.close();
      await own.close();
    },
  };
}
