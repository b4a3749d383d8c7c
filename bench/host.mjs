// The library on MariaDB or SQLite, with the HTTP settings of the sample. It runs from the folder of the built sample.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { configureHttp, httpAdapter } from './http.js';

const { DATABASE_URL: url, SQLITE_DRIVER, HOST, PORT } = process.env;

const server = { type: 'mariadb', url, charset: 'utf8mb4', timezone: 'Z', poolSize: 10 };
const file = () => ({
  type: 'better-sqlite3',
  driver: createRequire(import.meta.url)(SQLITE_DRIVER),
  database: url.replace('sqlite:', ''),
  enableWAL: true,
  prepareDatabase: (database) => void database.pragma('synchronous = NORMAL'),
});

const typeOrm = TypeOrmModule.forRoot({
  ...(url.startsWith('sqlite:') ? file() : server),
  entities: shippingEntities,
  migrations: shippingMigrations,
  migrationsRun: true,
});

class AppModule {}
Module({ imports: [typeOrm, ShippingModule.forRoot()] })(AppModule);

const app = await NestFactory.create(AppModule, httpAdapter(), { logger: ['error'], bodyParser: false });
configureHttp(app);
await app.listen(Number(PORT), HOST);
