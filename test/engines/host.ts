import { type AddressInfo } from 'node:net';
import { type INestApplication } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrderEvents, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { configureHttp, httpAdapter } from '../../apps/sample/src/hardening/http.js';
import { type EngineDatabase, opened } from './databases.js';

/** A host of the module on a database. */
export interface EngineHost {
  nest: INestApplication;
  dataSource: DataSource;
  methods: ShippingMethods;
  events: OrderEvents;
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

/** What a host takes from the package. */
export interface Library {
  ShippingModule: typeof ShippingModule;
  ShippingMethods: typeof ShippingMethods;
  OrderEvents: typeof OrderEvents;
}

/**
 * @param more options of the DataSource, such as `poolSize`
 * @param library another build of the package than the one that is tested
 */
export async function hostOn(
  database: EngineDatabase,
  shipping: Parameters<typeof ShippingModule.forRoot>[0] = {},
  more: object = {},
  library: Library = { ShippingModule, ShippingMethods, OrderEvents },
): Promise<EngineHost> {
  const dataSource = await opened(database, more);
  const testing = await Test.createTestingModule({
    imports: [
      TypeOrmModule.forRootAsync({
        useFactory: () => dataSource.options,
        dataSourceFactory: () => Promise.resolve(dataSource),
      }),
      library.ShippingModule.forRoot(shipping),
    ],
  }).compile();
  const nest = testing.createNestApplication<NestFastifyApplication>(httpAdapter(), {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  configureHttp(nest);
  await nest.listen(0, '127.0.0.1');
  const { port } = nest.getHttpServer().address() as AddressInfo;
  return {
    nest,
    dataSource,
    methods: nest.get(library.ShippingMethods),
    events: nest.get(library.OrderEvents),
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      await nest.close();
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

/** A host whose sessions were all set by these statements. */
export async function hostWithSessions(
  database: EngineDatabase,
  statements: readonly string[],
  poolSize = 5,
): Promise<EngineHost> {
  const host = await hostOn(database, {}, { poolSize });
  const runners = Array.from({ length: poolSize }, () => host.dataSource.createQueryRunner());
  for (const runner of runners) for (const sql of statements) await runner.query(sql);
  for (const runner of runners) await runner.release();
  return host;
}
