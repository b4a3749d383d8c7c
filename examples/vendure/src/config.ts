import { dummyPaymentHandler, type VendureConfig } from '@vendure/core';
import { type DataSourceOptions } from 'typeorm';
import { ShippingPlugin } from './shipping.plugin.js';

/** @param file the file of SQLite, if DATABASE_URL does not name a server */
export function configOn(file: string, port: number): VendureConfig {
  return {
    apiOptions: { port, hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
    authOptions: {
      tokenMethod: 'bearer',
      superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    },
    dbConnectionOptions: {
      ...databaseOf(process.env['DATABASE_URL'], file),
      synchronize: true,
      logging: false,
    },
    paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
    plugins: [ShippingPlugin],
  };
}

function databaseOf(url: string | undefined, file: string): DataSourceOptions {
  if (url?.startsWith('postgres')) return { type: 'postgres', url };
  if (url?.startsWith('mariadb')) return { type: 'mariadb', url, charset: 'utf8mb4', timezone: 'Z' };
  return { type: 'better-sqlite3', database: file };
}
