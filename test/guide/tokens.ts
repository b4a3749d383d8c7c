import { Injectable, Module, UnauthorizedException } from '@nestjs/common';

// docs/guide/guards.md shows the guard that uses this service.

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
    ['token-of-staff', { projects: [], role: 'head office', isStaff: true }],
  ]);

  userOf(token = ''): User {
    const user = this.users.get(token);
    if (!user) throw new UnauthorizedException();
    return user;
  }
}

@Module({ providers: [Tokens], exports: [Tokens] })
export class AuthModule {}
