import { type CanActivate, type ExecutionContext, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';

/** With a request-scoped guard Nest creates the controllers anew for each request. */
@Injectable({ scope: Scope.REQUEST })
class RequestGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: object) {}

  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<object>() !== undefined && this.request !== undefined;
  }
}

@Module({
  imports: [
    embeddedTypeOrmModule(),
    // The only option of the module: its path is without the host's prefix.
    ShippingModule.forRoot({ http: { path: 'projects/:project_id/sales/orders' } }),
  ],
  providers: [{ provide: APP_GUARD, useClass: RequestGuard }],
})
export class AppModule {}
