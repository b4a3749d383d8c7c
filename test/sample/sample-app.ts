import { type AddressInfo } from 'node:net';
import { type INestApplication } from '@nestjs/common';
import { parseApiKeys } from '../../apps/sample/src/api-keys.js';
import { createApp } from '../../apps/sample/src/app.js';
import { schema } from '../../apps/sample/src/database.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

export interface SampleApp {
  nest: INestApplication;
  database: TestDatabase;
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

/** The sample as its `main.ts` makes it, in this process, on a database of its own. */
export async function sampleApp(apiKeys?: string): Promise<SampleApp> {
  const database = await testDatabase(schema);
  const app = await createApp(database.dataSource, parseApiKeys(apiKeys));
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    nest: app,
    database,
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}
