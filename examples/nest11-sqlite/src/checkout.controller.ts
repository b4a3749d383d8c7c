import { Controller, Get, Param } from '@nestjs/common';
import { ShippingMethodsService } from 'nestjs-shipping';

@Controller('shops/:shop/checkout')
export class CheckoutController {
  constructor(private readonly methods: ShippingMethodsService) {}

  /** Returns the methods that a customer can choose. */
  @Get('shipping')
  async shipping(@Param('shop') shop: string): Promise<{ code: string; label: string }[]> {
    const active = await this.methods.findActive(shop);
    return active.map(({ carrier_code, method_code, method_label }) => ({
      code: `${carrier_code}/${method_code}`,
      label: method_label,
    }));
  }
}
