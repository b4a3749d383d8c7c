import { Module } from '@nestjs/common';
import { OrderDeskController } from './order-desk.controller.js';
import { OrderDesk } from './order-desk.service.js';

/** `ShippingModule` is global in this host: its services can be injected without importing it again. */
@Module({ controllers: [OrderDeskController], providers: [OrderDesk] })
export class OrderDeskModule {}
