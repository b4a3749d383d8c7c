import { Controller, Get, Headers, Inject, Param, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ProblemDetailsFilter, ShippingMethodsService } from 'nestjs-shipping';
import { languagesOf, translated } from './customers-language.js';
import {
  type HttpResponse,
  ifChanged,
  type OfferedMethod,
  offeredMethod,
  OpenShopGuard,
} from './storefront.controller.js';

// docs/recipes/labels.md shows this code.

@Controller('shops/:shop/shipping')
@UseGuards(OpenShopGuard)
@UseFilters(ProblemDetailsFilter)
export class TranslatedStorefrontController {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Get()
  async offered(
    @Param('shop') shop: string,
    @Headers('accept-language') accepted: string | undefined,
    @Headers('if-none-match') held: string | undefined,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<OfferedMethod[] | undefined> {
    const languages = languagesOf(accepted);
    const active = await this.methods.findActive(shop);
    const offered = active.map((method) => offeredMethod(translated(method, languages)));
    const vary = [response.getHeader('Vary'), 'Accept-Language'].filter(Boolean).join(', ');
    response.header('Vary', vary);
    return ifChanged(offered, held, response);
  }
}
