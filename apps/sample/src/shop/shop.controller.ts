import {
  BadRequestException,
  Body,
  Controller,
  Get,
  Header,
  Headers,
  Inject,
  Param,
  Post,
} from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { ShippingMethods } from 'nestjs-shipping';
import { Checkout, type Choice } from './checkout.service.js';
import { shopPage } from './shop-page.js';

@ApiTags('Shop')
@Controller()
export class ShopController {
  constructor(
    @Inject(Checkout) private readonly checkout: Checkout,
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
  ) {}

  @Get()
  @ApiExcludeEndpoint()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return shopPage;
  }

  /** What a customer can choose. */
  @Get('shops/:shop/methods')
  async choices(@Param('shop') shop: string): Promise<(Choice & { label: string })[]> {
    const methods = await this.methods.findActive(shop);
    return methods.map(({ carrier_code, carrier_label, method_code, method_label }) => ({
      carrier_code,
      method_code,
      label: `${carrier_label ?? carrier_code}: ${method_label}`,
    }));
  }

  @Post('shops/:shop/orders')
  async place(
    @Param('shop') shop: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
  ): Promise<{ order_id: string }> {
    if (!key) throw new BadRequestException('Send an Idempotency-Key: a new UUID for each new order.');
    const { carrier_code, method_code } = Object(body) as Choice;
    if (!carrier_code || !method_code) throw new BadRequestException('Send carrier_code and method_code.');
    const { orderId } = await this.checkout.place(shop, key, { carrier_code, method_code });
    return { order_id: orderId };
  }
}
