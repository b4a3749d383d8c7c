import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';

/** The fields of a token that the guard reads. */
export interface Claims {
  /** The projects that the owner of the token may see and change. A token may be signed without this claim. */
  projects?: unknown;
}

interface Request {
  headers: { authorization?: string };
  params: { project_id: string };
}

/**
 * Gives access to the projects that the token names. Without a valid token the response is 401, and for another
 * project 403.
 */
@Injectable()
export class ProjectGuard implements CanActivate {
  constructor(private readonly tokens: JwtService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers, params } = context.switchToHttp().getRequest<Request>();
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const { projects } = await this.tokens.verifyAsync<Claims>(token).catch(() => {
      throw new UnauthorizedException();
    });
    // A string has `includes`, too. With the claim 'workshop' as a string, `shop` would be accessible.
    if (!Array.isArray(projects) || !projects.includes(params.project_id)) throw new ForbiddenException();
    return true;
  }
}
