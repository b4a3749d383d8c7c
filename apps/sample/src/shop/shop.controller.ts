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
  ValidationPipe,
} from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { IsNotEmpty, IsString } from 'class-validator';
import { ShippingMethodsService } from 'nestjs-shipping';
import { Checkout, type Choice } from './checkout.service.js';
import { shopPage } from './shop-page.js';

interface Offer extends Choice {
  label: string;
  delivery?: unknown;
  price?: unknown;
}

class PlaceOrderRequest implements Choice {
  @IsString()
  @IsNotEmpty()
  carrier_code!: string;

  @IsString()
  @IsNotEmpty()
  method_code!: string;
}

@ApiTags('Shop')
@Controller()
export class ShopController {
  constructor(
    @Inject(Checkout) private readonly checkout: Checkout,
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
  ) {}

  @Get()
  @ApiExcludeEndpoint()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return shopPage;
  }

  /** Returns the methods that a customer can choose. A price often depends on the cart: then your code calculates it. */
  @Get('shops/:shop/methods')
  async choices(@Param('shop') projectId: string): Promise<Offer[]> {
    const methods = await this.methods.findActive(projectId);
    return methods.map(({ carrier_code, method_code, method_label, meta: { delivery, price } }) => ({
      carrier_code,
      method_code,
      label: method_label,
      delivery,
      price,
    }));
  }

  @Post('shops/:shop/orders')
  async place(
    @Param('shop') projectId: string,
    @Headers('idempotency-key') key: string | undefined,
    // `expectedType` names the class, because Vitest and esbuild write no types of parameters.
    @Body(new ValidationPipe({ expectedType: PlaceOrderRequest, whitelist: true })) choice: PlaceOrderRequest,
  ): Promise<{ order_id: string }> {
    if (!key) throw new BadRequestException('Send an Idempotency-Key: a new UUID for each new order.');
    const { orderId } = await this.checkout.place(projectId, key, choice);
    return { order_id: orderId };
  }
}
