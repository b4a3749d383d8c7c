import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';

// docs/guide/guards.md shows this code.

export interface ProjectRequest {
  headers: { authorization?: string };
  params: { project_id: string };
}

export interface User {
  projects: string[];
  role: string;
  /** The staff who maintain the defaults of all tenants. */
  isStaff?: boolean;
}

/** Yours checks a token. */
@Injectable()
export class Tokens {
  private readonly users = new Map<string, User>([
    ['token-of-acme', { projects: ['acme'], role: 'admin' }],
    ['token-of-a-clerk', { projects: ['acme'], role: 'clerk' }],
    ['token-of-globex', { projects: ['globex'], role: 'admin' }],
    ['token-of-a-tenant-named-default', { projects: ['default'], role: 'admin' }],
    ['token-of-staff', { projects: ['default'], role: 'admin', isStaff: true }],
  ]);

  userOf(token = ''): User {
    const user = this.users.get(token);
    if (!user) throw new UnauthorizedException();
    return user;
  }
}

@Module({ providers: [Tokens], exports: [Tokens] })
export class AuthModule {}

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
export class ProjectGuard implements CanActivate {
  constructor(
    @Inject(Tokens) private readonly tokens: Tokens,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ProjectRequest>();
    const user = this.tokens.userOf(request.headers.authorization?.replace('Bearer ', ''));
    const places = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<string[] | undefined>('roles', places);
    const { project_id: project } = request.params;
    // A tenant with this id would edit the defaults of all tenants.
    if (project === 'default' && !user.isStaff) return false;
    return user.projects.includes(project) && (!roles || roles.includes(user.role));
  }
}

const writers = [Roles('admin')];

export const shipping = ShippingModule.forRoot({
  isGlobal: true,
  imports: [AuthModule],
  http: {
    decorators: [UseGuards(ProjectGuard)],
    routeDecorators: { create: writers, update: writers, remove: writers },
  },
});
