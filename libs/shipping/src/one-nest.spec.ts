import { describe, expect, it } from 'vitest';
import { refuseTwoCopiesOfNest } from './one-nest.js';

describe('a workspace', () => {
  it('with one copy of Nest is accepted', () => {
    expect(() => refuseTwoCopiesOfNest(true)).not.toThrow();
  });

  it('with two copies is refused, and the error says where they are and what to do', () => {
    expect(() => refuseTwoCopiesOfNest(false)).toThrow(
      /Two copies of @nestjs\/core.* loads it from \S+node_modules.@nestjs.core, .*npm ls @nestjs\/core/,
    );
  });
});
