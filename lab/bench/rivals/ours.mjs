// The library in a plain host: Nest on Fastify, or on Express with ADAPTER=express. It is copied beside the build of
// the library that is measured.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';

const { ADAPTER, DATABASE_URL: url = '', PORT } = process.env;
const engine = url.startsWith('postgres')
  ? { type: 'postgres' }
  : { type: 'mariadb', charset: 'utf8mb4', timezone: 'Z' };

class AppModule {}
Module({
  imports: [
    TypeOrmModule.forRoot({
      ...engine,
      url,
      poolSize: 10,
      autoLoadEntities: true,
      migrations: shippingMigrations,
      migrationsRun: true,
    }),
    ShippingModule.forRoot(),
  ],
})(AppModule);

const adapter = ADAPTER === 'express' ? new ExpressAdapter() : new FastifyAdapter();
const app = await NestFactory.create(AppModule, adapter, { logger: ['error'] });
app.enableShutdownHooks();
await app.listen(Number(PORT), '127.0.0.1');
