import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { options } from './data-source.js';
import { ShopOrders } from './shop-orders.service.js';

@Module({
  imports: [TypeOrmModule.forRoot(options), ShippingModule.forRoot({ isGlobal: true })],
  providers: [ShopOrders],
})
export class AppModule {}
