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
  UseGuards,
} from '@nestjs/common';
import { ShippingMethods } from 'nestjs-shipping';

/** What a customer sees of a method. */
interface OfferedMethod {
  id: string;
  carrier: string;
  label: string;
}

/** The part of the response that Express and Fastify have in common. */
interface HttpResponse {
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
    const { shop } = context.switchToHttp().getRequest().params;
    if (!this.shops.isOpen(shop)) throw new NotFoundException();
    return true;
  }
}

@Controller('shops/:shop/shipping')
@UseGuards(OpenShopGuard)
export class StorefrontController {
  constructor(@Inject(ShippingMethods) private readonly methods: ShippingMethods) {}

  @Get()
  async offered(
    @Param('shop') shop: string,
    @Headers('if-none-match') held: string | undefined,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<OfferedMethod[] | undefined> {
    const active = await this.methods.findActive(shop);
    const offered = active.map(({ id, carrier_code, carrier_label, method_label }) => {
      return { id, carrier: carrier_label ?? carrier_code, label: method_label };
    });
    const etag = `"${createHash('sha256').update(JSON.stringify(offered)).digest('base64url')}"`;
    response.header('ETag', etag);
    response.header('Cache-Control', 'public, no-cache');
    if (held?.replace(/^W\//, '') !== etag) return offered;
    response.status(304);
    return undefined;
  }
}
