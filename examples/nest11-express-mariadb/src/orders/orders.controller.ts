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
  async place(
    @Param('shop') shop: string,
    @Body() order: PlaceOrder,
  ): Promise<{ id: string; number: string }> {
    const { id, number } = await this.orders.place(shop, randomUUID(), order.carrier_code, order.method_code);
    return { id, number: `#${number}` };
  }
}
