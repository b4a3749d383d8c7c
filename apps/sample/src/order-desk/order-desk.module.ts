import { Module } from '@nestjs/common';
import { OrderDeskController } from './order-desk.controller.js';
import { OrderDesk } from './order-desk.service.js';

/** `ShippingModule` is global in this application, so this module need not import it. */
@Module({ controllers: [OrderDeskController], providers: [OrderDesk] })
export class OrderDeskModule {}
