import { createHash } from 'node:crypto';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Headers,
  Inject,
  Injectable,
  NotFoundException,
  Param,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ProblemDetailsFilter, type ShippingMethodDto, ShippingMethodsService } from 'nestjs-shipping';

/** What a customer sees of a method. */
export interface OfferedMethod {
  id: string;
  carrier: string;
  label: string;
}

/** The part of the response that Express and Fastify have in common. */
export interface HttpResponse {
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
  status(code: number): unknown;
}

/** Your own service would read your tables. */
@Injectable()
export class Shops {
  isOpen(shop: string): boolean {
    return ['acme', 'globex'].includes(shop);
  }
}

@Injectable()
export class OpenShopGuard implements CanActivate {
  constructor(@Inject(Shops) private readonly shops: Shops) {}

  canActivate(context: ExecutionContext): boolean {
    const { params } = context.switchToHttp().getRequest<{ params: { shop: string } }>();
    if (!this.shops.isOpen(params.shop)) throw new NotFoundException();
    return true;
  }
}

@Controller('shops/:shop/shipping')
@UseGuards(OpenShopGuard)
@UseFilters(ProblemDetailsFilter)
export class StorefrontController {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Get()
  async offered(
    @Param('shop') shop: string,
    @Headers('if-none-match') held: string | undefined,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<OfferedMethod[] | undefined> {
    const active = await this.methods.findActive(shop);
    return ifChanged(active.map(offeredMethod), held, response);
  }
}

export function offeredMethod({
  id,
  carrier_code,
  carrier_label,
  method_label,
}: ShippingMethodDto): OfferedMethod {
  return { id, carrier: carrier_label ?? carrier_code, label: method_label };
}

/** Returns the value, or sets the status 304 if the client holds the same value. */
export function ifChanged<Value>(
  value: Value,
  held: string | undefined,
  response: HttpResponse,
): Value | undefined {
  const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url')}"`;
  response.header('ETag', etag);
  response.header('Cache-Control', 'public, no-cache');
  if (held?.replace(/^W\//, '') !== etag) return value;
  response.status(304);
  return undefined;
}
