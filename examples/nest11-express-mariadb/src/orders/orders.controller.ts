import { createHash } from 'node:crypto';
import { BadRequestException, Body, Controller, Headers, Param, Post, UseFilters } from '@nestjs/common';
import { ProblemDetailsFilter } from 'nestjs-shipping';
import { ShopOrders } from './shop-orders.service';

interface PlaceOrder {
  carrier_code: string;
  method_code: string;
}

@Controller('shops/:shop/orders')
@UseFilters(ProblemDetailsFilter)
export class OrdersController {
  constructor(private readonly orders: ShopOrders) {}

  @Post()
  async place(
    @Param('shop') shop: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
  ): Promise<{ id: string; number: string }> {
    if (!key) throw new BadRequestException('Send an Idempotency-Key: a new UUID for each new order.');
    // If a field is missing, findByCodes refuses it.
    const { carrier_code, method_code } = Object(body) as PlaceOrder;
    // The same key gives the same order id. In a shop with customers, make the id from the customer and the key.
    const orderId = createHash('sha256').update(key).digest('hex').slice(0, 32);
    const { id, number } = await this.orders.place(shop, orderId, carrier_code, method_code);
    return { id, number: `#${number}` };
  }
}
