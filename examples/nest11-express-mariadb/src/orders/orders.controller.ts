import { Body, Controller, Param, Post } from '@nestjs/common';
import { ShopOrders } from './shop-orders.service';

interface PlaceOrder {
  number: string;
  carrier_code: string;
  method_code: string;
}

@Controller('shops/:shop/orders')
export class OrdersController {
  constructor(private readonly orders: ShopOrders) {}

  @Post()
  async place(@Param('shop') shop: string, @Body() order: PlaceOrder): Promise<{ number: string }> {
    await this.orders.place(shop, order.number, order.carrier_code, order.method_code);
    return { number: order.number };
  }
}
