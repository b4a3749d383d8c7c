import { randomUUID } from 'node:crypto';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ShopOrders } from './shop-orders.service';

interface PlaceOrder {
  carrier_code: string;
  method_code: string;
}

@Controller('shops/:shop/orders')
export class OrdersController {
  constructor(private readonly orders: ShopOrders) {}

  @Post()
  async place(@Param('shop') shop: string, @Body() order: PlaceOrder): Promise<{ number: string }> {
    const number = randomUUID();
    await this.orders.place(shop, number, order.carrier_code, order.method_code);
    return { number };
  }
}
