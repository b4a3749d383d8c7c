import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { database } from './database.js';
import { HealthController } from './health.controller.js';
import { IdleConnections } from './idle-connections.js';
import { Checkout } from './shop/checkout.service.js';
import { ShopController } from './shop/shop.controller.js';

// This application has no users. With users, guard the routes by `http: { decorators: [UseGuards(StaffGuard)] }`, the
// page by `decorators: [UseGuards(StaffGuard)]`, and the ShopController by a guard of its own.
const shipping = ShippingModule.forRoot({ isGlobal: true });
const page = ShippingPageModule.forRoot({ path: 'shipping' });

@Module({
  imports: [database, shipping, page, TerminusModule],
  controllers: [HealthController, ShopController],
  providers: [Checkout, IdleConnections, { provide: APP_FILTER, useClass: ProblemDetailsFilter }],
})
export class AppModule {}
