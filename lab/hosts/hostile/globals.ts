// Global set-ups that a host may have, all at once. They do to the module's responses what they do to the host's own.
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  ClassSerializerInterceptor,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  type INestApplication,
  type NestInterceptor,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, type Observable, tap } from 'rxjs';

interface Response {
  status(code: number): Response;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

/** Catches every exception, and knows one form of errors. */
@Catch()
class CatchAllFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const known = exception instanceof HttpException ? exception.getResponse() : undefined;
    const message = typeof known === 'object' && 'message' in known ? known.message : 'Internal server error';
    const response = host.switchToHttp().getResponse<Response>();
    response
      .status(exception instanceof HttpException ? exception.getStatus() : 500)
      .send({ message: [message] });
  }
}

class WrappingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ success: true, data })));
  }
}

/** Sets a header when the handler is done. */
class TimingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(tap(() => response.header('X-Response-Time', '1')));
  }
}

export function setGlobals(app: INestApplication): void {
  app.setGlobalPrefix('api');
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.useGlobalFilters(new CatchAllFilter());
  app.useGlobalInterceptors(
    new TimingInterceptor(),
    new WrappingInterceptor(),
    new ClassSerializerInterceptor(app.get(Reflector), { strategy: 'excludeAll' }),
  );
  app.useGlobalPipes(
    new ValidationPipe({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      transformOptions: { enableImplicitConversion: true },
    }),
  );
}
