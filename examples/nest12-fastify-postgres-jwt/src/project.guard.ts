import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';

/** What we read of a token. */
export interface Claims {
  /** The projects that its owner may see and change. A token may be signed without them. */
  projects?: unknown;
}

interface Request {
  headers: { authorization?: string };
  params: { project_id: string };
}

/** Lets a token into the projects that it names: 401 without a valid token, 403 for another project. */
@Injectable()
export class ProjectGuard implements CanActivate {
  constructor(private readonly tokens: JwtService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers, params } = context.switchToHttp().getRequest<Request>();
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const { projects } = await this.tokens.verifyAsync<Claims>(token).catch(() => {
      throw new UnauthorizedException();
    });
    // A text has `includes` too: 'workshop' would open `shop`.
    if (!Array.isArray(projects) || !projects.includes(params.project_id)) throw new ForbiddenException();
    return true;
  }
}
