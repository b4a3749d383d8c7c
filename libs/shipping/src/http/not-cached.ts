import { SetMetadata } from '@nestjs/common';

/**
 * Keeps Nest's `CacheInterceptor` off a route, also one that makes its own keys: it would keep what the handler
 * returned, and the handlers of our reads return nothing. The interceptor caches nothing when a route cannot say for
 * how long. We name its metadata ourselves, so as not to depend on its package.
 */
export function NotCached(): MethodDecorator {
  return SetMetadata('cache_module:cache_ttl', () => {
    throw new Error('Answers of the shipping routes are not to be cached by interceptors.');
  });
}
