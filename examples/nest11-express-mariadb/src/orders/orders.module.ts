import { Module } from '@nestjs/common';
import { OrdersController } from './orders.controller';
import { ShopOrders } from './shop-orders.service';

@Module({ controllers: [OrdersController], providers: [ShopOrders], exports: [ShopOrders] })
export class OrdersModule {}
