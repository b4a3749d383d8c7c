import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth, ApiProperty, ApiUnauthorizedResponse } from '@nestjs/swagger';

export const key = 'shop-key';

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>();
    if (headers.authorization !== `Bearer ${key}`) throw new UnauthorizedException();
    return true;
  }
}

/** The host's own error. */
class HostError {
  @ApiProperty()
  statusCode!: number;

  @ApiProperty()
  message!: string;
}

/** The guard and its documentation, the same for the host's routes and for ours. */
export function Guarded(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    UseGuards(KeyGuard),
    ApiBearerAuth(),
    ApiUnauthorizedResponse({ description: 'No key.', type: HostError }),
  );
}
