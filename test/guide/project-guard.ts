import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ShippingModule } from 'nestjs-shipping';
import { AuthModule, Tokens } from './tokens.js';

// docs/guide/guards.md shows this code.

export interface ProjectRequest {
  headers: { authorization?: string };
  params: { project_id: string };
}

export const Roles = (...roles: string[]) => SetMetadata('roles', roles);

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
    // The defaults of all tenants are for the staff of the head office, not for a tenant with this id.
    if (project === 'default') return user.isStaff === true;
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
