import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  ConflictException,
  type ExceptionFilter,
  HttpException,
  Logger,
  type NestInterceptor,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import {
  DatabaseUnavailableError,
  InvalidParameterError,
  ProblemDetailsFilter,
  ShippingHttpError,
  ShippingMethodsService,
  ShippingModule,
  type ShippingRoute,
} from 'nestjs-shipping';
import { catchError } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ground } from '../support/client.js';
import { platformNames } from './host.js';
import { MessageFilter } from './hostile-host.js';
import { hostsInTurn } from './hosts-in-turn.js';

@Catch(ShippingHttpError)
class TeapotFilter implements ExceptionFilter<ShippingHttpError> {
  catch({ code }: ShippingHttpError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse().status(418).send({ teapot: code });
  }
}

/** A filter of a host that sends our `errors`, too. */
@Catch(HttpException)
class ErrorsFilter implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(body: object): unknown } }>();
    const { message, errors } = exception.getResponse() as { message: unknown; errors?: unknown };
    response.status(exception.getStatus()).send({ message, errors });
  }
}

class CouponError extends InvalidParameterError {}

const refusesCoupon: MethodDecorator = (_prototype, _name, descriptor: PropertyDescriptor) => {
  descriptor.value = () => {
    throw new CouponError([{ parameter: 'constructor', code: 'unknown', detail: 'There is no coupon.' }]);
  };
};

@Catch(CouponError)
class CouponFilter implements ExceptionFilter<CouponError> {
  catch({ violations }: CouponError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse().status(418).send({ violations });
  }
}

const closed: CanActivate = { canActivate: () => false };

const mapping: NestInterceptor = {
  intercept: (_context, next) =>
    next.handle().pipe(
      catchError((error: unknown) => {
        throw error instanceof ShippingHttpError ? new ConflictException('Not now.') : error;
      }),
    ),
};

describe.each(platformNames)('on %s, in a host with a filter for everything, an error', (platform) => {
  const hosts = hostsInTurn(platform);
  afterEach(() => vi.restoreAllMocks());

  const mounted = (
    shipping: Parameters<typeof ShippingModule.forRoot>[0] = {},
    ...interceptors: NestInterceptor[]
  ) =>
    hosts.start({
      shipping,
      configure: (app) => app.useGlobalFilters(new MessageFilter()).useGlobalInterceptors(...interceptors),
    });

  it('for an unavailable database says when to try again, and is logged', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const shop = await mounted();
    const unavailable = (): Promise<never> => Promise.reject(new DatabaseUnavailableError(undefined));
    Object.assign(hosts.app.get(ShippingMethodsService), { create: unavailable });

    const { status, headers, body } = await shop.create(ground);

    expect([status, headers.get('retry-after'), body.code]).toEqual([
      503,
      expect.stringMatching(/^[123]$/),
      'database_unavailable',
    ]);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(logged.mock.calls).toEqual([['database_unavailable']]);
  });

  it('of a guard gets the response of the host', async () => {
    const shop = await mounted({ http: { decorators: [UseGuards(closed)] } });

    const { status, body } = await shop.list();

    expect([status, body]).toEqual([403, { message: ['Forbidden resource'] }]);
  });

  it('of ours goes to the filter that the host has set for this mount', async () => {
    const shop = await mounted({ http: { decorators: [UseFilters(TeapotFilter)] } });

    const { status, body } = await shop.create({});

    expect([status, body]).toEqual([418, { teapot: 'validation_failed' }]);
  });

  it('of ours with problemDetails: false names each violation in the errors that a filter of the host sends', async () => {
    const shop = await mounted({ http: { problemDetails: false, decorators: [UseFilters(ErrorsFilter)] } });

    const { status, body } = await shop.create({ carrier_code: 'ups' });

    const details = ['method_code is required.', 'method_label is required.'];
    const errors = details.map((detail) => ({ detail }));
    expect([status, body]).toMatchObject([400, { message: `${details[0]} (and 1 more)`, errors }]);
  });

  it.each([
    ['the module', {}],
    ['a ProblemDetailsFilter of the host for this mount', { decorators: [UseFilters(ProblemDetailsFilter)] }],
    [
      'a filter of the host in its own format',
      { problemDetails: false, decorators: [UseFilters(ErrorsFilter)] },
    ],
  ])('of ours has the names of the path, sent by %s', async (_, http) => {
    const shop = await mounted({ http });

    const { status, body } = await shop.events('order id');

    const detail = expect.stringMatching(/^order_id /);
    expect([status, body]).toMatchObject([400, { errors: [{ detail }] }]);
  });

  it('of a class of the host keeps its class and its names', async () => {
    const shop = await mounted({ http: { decorators: [refusesCoupon, UseFilters(CouponFilter)] } });

    const { status, body } = await shop.list();

    expect([status, body]).toMatchObject([418, { violations: [{ parameter: 'constructor' }] }]);
  });

  it.each<[ShippingRoute, number]>([
    ['remove', 418],
    ['update', 404],
  ])('of ours goes to the filter that the host has set for the route %s only', async (route, status) => {
    const shop = await mounted({ http: { routeDecorators: { [route]: [UseFilters(TeapotFilter)] } } });

    expect((await shop.remove('none')).status).toBe(status);
  });

  it('of ours gets the response of the other error to which an interceptor maps it', async () => {
    const shop = await mounted({}, mapping);

    const { status, body } = await shop.remove('none');

    expect([status, body]).toEqual([409, { message: ['Not now.'] }]);
  });
});
