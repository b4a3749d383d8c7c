import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { CheckoutModule, PlacedOrder } from '../../../test/guide/checkout.js';

// An instance of a shop with the checkout of docs/guide/checkout.md. It prints its origin when it is ready.

const url = process.env['DATABASE_URL'] ?? '';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: url.split(':')[0] as 'postgres' | 'mariadb' | 'mysql',
      url,
      entities: [...shippingEntities, PlacedOrder],
      synchronize: true,
    }),
    ShippingModule.forRoot({ isGlobal: true, http: false }),
    CheckoutModule,
  ],
})
class CheckoutShop {}

const app = await NestFactory.create(CheckoutShop, new ExpressAdapter(), { logger: ['error'] });
await app.listen(0, '127.0.0.1');
await app
  .get(ShippingMethodsService)
  .upsert('shop', { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });
console.log(await app.getUrl());
