import {
  type CallHandler,
  ClassSerializerInterceptor,
  ConflictException,
  type ExecutionContext,
  type NestInterceptor,
  RequestTimeoutException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  catchError,
  defer,
  delay,
  from,
  map,
  mergeMap,
  type Observable,
  of,
  tap,
  throwError,
  timeout,
  TimeoutError,
} from 'rxjs';

// Interceptors of real hosts. A request names its set-up in a header, so that one host serves all of them.

type Values = (values: Observable<unknown>) => Observable<unknown>;

function interceptor(work: Values): NestInterceptor {
  return { intercept: (_context, next) => work(next.handle()) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), renamed(each)]));
}

function renameInPlace(value: unknown): void {
  if (!isRecord(value)) return;
  for (const [name, each] of Object.entries(value)) {
    renameInPlace(each);
    if (camel(name) === name || Array.isArray(value)) continue;
    delete value[name];
    value[camel(name)] = each;
  }
}

/** The interceptor of Nest's documentation, with another time. */
function timingOut(ms: number): NestInterceptor {
  const late = (error: unknown): unknown =>
    error instanceof TimeoutError ? new RequestTimeoutException() : error;
  return interceptor((values) =>
    values.pipe(
      timeout(ms),
      catchError((error: unknown) => throwError(() => late(error))),
    ),
  );
}

/** Does what the `CacheInterceptor` of `@nestjs/cache-manager` does, with a map. */
function caching(): NestInterceptor {
  const cached = new Map<string, unknown>();
  return {
    intercept: (context, next) => {
      const { method, url } = context.switchToHttp().getRequest<{ method: string; url: string }>();
      if (method !== 'GET') return next.handle();
      const known = cached.get(url);
      if (known !== undefined && known !== null) return of(known);
      return next.handle().pipe(tap((value) => cached.set(url, value)));
    },
  };
}

const envelope = interceptor((values) => values.pipe(map((data) => ({ success: true, data }))));

const edit = (change: (value: Record<string, unknown>) => void): NestInterceptor =>
  interceptor((values) => values.pipe(tap((value) => isRecord(value) && change(value))));
const become = (make: (value: unknown) => unknown): NestInterceptor =>
  interceptor((values) => values.pipe(map(make)));

const serialising = (...options: ConstructorParameters<typeof ClassSerializerInterceptor>[1][]) =>
  new ClassSerializerInterceptor(new Reflector(), ...options);

/** Set-ups that leave the responses as they are. */
export const silent: Record<string, NestInterceptor[]> = {
  none: [],
  'class serializer': [serialising()],
  'class serializer, excludeAll': [serialising({ strategy: 'excludeAll' })],
  'time-out': [timingOut(30_000)],
  'log of JSON': [edit((value) => JSON.stringify(value))],
  'a deep copy': [become((value) => structuredClone(value))],
  'a shallow copy': [become((value) => (isRecord(value) ? { ...value } : value))],
};

/** Set-ups that change the responses. */
export const changing: Record<string, NestInterceptor[]> = {
  envelope: [envelope],
  'envelope around a log, a copy and a serializer': [
    envelope,
    ...(silent['log of JSON'] ?? []),
    ...(silent['a shallow copy'] ?? []),
    serialising(),
  ],
  'camelCase, new objects': [become(renamed)],
  'camelCase, in place': [edit(renameInPlace)],
  'a member more': [edit((value) => Object.assign(value, { served_by: 'host' }))],
  'a member replaced, unread': [
    edit((value) => {
      const [name = ''] = Object.keys(value);
      delete value[name];
      value[name] = 'removed';
    }),
  ],
  'a member assigned': [edit((value) => Object.assign(value, { data: 'removed' }))],
};

/** Set-ups that send something else than an object. */
export const replacing: Record<string, NestInterceptor[]> = {
  text: [become((value) => JSON.stringify(value) ?? '')],
  bytes: [become((value) => Buffer.from(JSON.stringify(value) ?? ''))],
  null: [become(() => null)],
  undefined: [become(() => undefined)],
};

/** Set-ups that respond with an error after the handler has returned its value. */
export const refusing: Record<string, NestInterceptor[]> = {
  'an error after the handler': [
    interceptor((values) =>
      values.pipe(mergeMap(() => throwError(() => new ConflictException('It was not committed.')))),
    ),
  ],
  'a time-out that ends': [timingOut(20), interceptor((values) => values.pipe(delay(60)))],
};

const others: Record<string, NestInterceptor[]> = {
  'cache around an envelope': [caching(), envelope],
  'cache around a change in place': [caching(), edit(renameInPlace)],
  cache: [caching()],
};

const all = { ...silent, ...changing, ...replacing, ...refusing, ...others };

/** Runs the interceptors that the request names. */
export const chosen: NestInterceptor = {
  intercept: (context: ExecutionContext, next: CallHandler) => {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    const interceptors = all[headers['x-set-up'] ?? 'none'] ?? [];
    const around = (inner: CallHandler, each: NestInterceptor): CallHandler => ({
      handle: () =>
        defer(() => from(Promise.resolve(each.intercept(context, inner)))).pipe(mergeMap((made) => made)),
    });
    return interceptors.reduceRight(around, next).handle();
  },
};
