import { type CanActivate, type ExecutionContext, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrm } from 'nestjs-shipping/testing';

/** A guard of each request makes Nest build what it guards for each request. */
@Injectable({ scope: Scope.REQUEST })
class RequestGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: object) {}

  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<object>() !== undefined && this.request !== undefined;
  }
}

@Module({
  imports: [
    embeddedTypeOrm(),
    // The one thing that is set on the module's side: the host's prefix is taken out of the path.
    ShippingModule.forRoot({ http: { path: 'projects/:project_id/sales/orders' } }),
  ],
  providers: [{ provide: APP_GUARD, useClass: RequestGuard }],
})
export class AppModule {}
