import { type DynamicModule, type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule, type ShippingPageOptions } from 'nestjs-shipping/page';
import { compiled, listening, type Platform, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

export interface PageHost {
  app: INestApplication;
  database: TestDatabase;
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

export interface PageHostOptions extends Pick<ModuleMetadata, 'controllers' | 'providers'> {
  /** A module that a test has made, or the options of the page. */
  page?: DynamicModule | ShippingPageOptions<never>;
  /** The options of each mount. */
  mounts?: Parameters<typeof ShippingModule.forRoot>[0][];
  platform?: Platform;
  /** A database that several hosts use, one after another. */
  database?: TestDatabase;
  configure?: (app: INestApplication) => unknown;
}

/** An application with the module and its page. */
export async function pageHost(options: PageHostOptions = {}): Promise<PageHost> {
  const { page, mounts = [{}], platform, configure, database: shared, ...own } = options;
  const database = shared ?? (await testDatabase());
  const release = async (): Promise<void> => (shared ? undefined : database.close());
  try {
    // Each host closes its DataSource at its end.
    if (!database.dataSource.isInitialized) await database.dataSource.initialize();
    const shipping = mounts.map((mount) => ShippingModule.forRoot(mount));
    const pageModule = page && 'module' in page ? page : ShippingPageModule.forRoot(page);
    const testing = await compiled([typeOrm(database), ...shipping, pageModule], own);
    const { app, origin } = await listening(testing, configure, platform);
    const close = async (): Promise<void> => {
      await app.close();
      await release();
    };
    return { app, database, origin, close };
  } catch (error) {
    await release();
    throw error;
  }
}
