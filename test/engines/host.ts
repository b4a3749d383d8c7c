import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { fastifyApp, listen, typeOrm } from '../support/nest.js';
import { type EngineDatabase, opened } from './databases.js';

/** A host of the module on a database. */
export interface EngineHost {
  nest: INestApplication;
  dataSource: DataSource;
  methods: ShippingMethodsService;
  events: OrderEventsService;
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

/** @param more options of the DataSource, such as `poolSize` */
export async function hostOn(
  database: EngineDatabase,
  shipping: Parameters<typeof ShippingModule.forRoot>[0] = {},
  more: object = {},
): Promise<EngineHost> {
  const dataSource = await opened(database, more);
  const testing = await Test.createTestingModule({
    imports: [typeOrm({ dataSource }), ShippingModule.forRoot(shipping)],
  }).compile();
  const nest = fastifyApp(testing);
  const origin = await listen(nest);
  return {
    nest,
    dataSource,
    methods: nest.get(ShippingMethodsService),
    events: nest.get(OrderEventsService),
    origin,
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
