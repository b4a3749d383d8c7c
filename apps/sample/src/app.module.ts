import { Module } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { database } from './database.js';
import { HealthModule } from './hardening/health.module.js';
import { Checkout } from './shop/checkout.service.js';
import { ShopController } from './shop/shop.controller.js';

// This application has no users. With users, guard the routes by `http: { decorators: [UseGuards(StaffGuard)] }`, the
// page by `decorators: [UseGuards(StaffGuard)]`, and the ShopController by a guard of its own.
const shipping = ShippingModule.forRoot({ isGlobal: true });
const page = ShippingPageModule.forRoot({ path: 'shipping' });

@Module({
  imports: [database, shipping, page, HealthModule],
  controllers: [ShopController],
  providers: [Checkout],
})
export class AppModule {}
