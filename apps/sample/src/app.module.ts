import { Module } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { database } from './database.js';
import { HealthModule } from './hardening/health.module.js';
import { Checkout } from './shop/checkout.service.js';
import { ShopController } from './shop/shop.controller.js';

// This application has no users. With users, give both modules a guard: `decorators: [UseGuards(StaffGuard)]`.
const shipping = ShippingModule.forRoot({ isGlobal: true });
const page = ShippingPageModule.forRoot({ path: 'shipping' });

@Module({
  imports: [database, shipping, page, HealthModule],
  controllers: [ShopController],
  providers: [Checkout],
})
export class AppModule {}
