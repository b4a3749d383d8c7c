import { type ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  Delete,
  type DynamicModule,
  type ExceptionFilter,
  Get,
  HttpCode,
  HttpException,
  Inject,
  type INestApplication,
  Module,
  Param,
  Patch,
  Post,
  SerializeOptions,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  OrderEventsService,
  ShippingMethodsService,
  ShippingModule,
  type UpsertShippingMethodRequest,
} from 'nestjs-shipping';
import { chosen } from './set-ups.js';

/** A host's own routes, which return the values that ours are documented to return. */
@Controller('own/:project')
@SerializeOptions({ strategy: 'exposeAll' })
class OwnController {
  constructor(
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
  ) {}

  @Get('methods')
  list(@Param('project') project: string) {
    return this.methods.list(project);
  }

  @Get('tree')
  tree(@Param('project') project: string) {
    return this.methods.tree(project);
  }

  @Get('events')
  async history(@Param('project') project: string) {
    return { data: await this.events.findAll({ projectId: project, orderId: 'order' }) };
  }

  @Post('methods')
  create(@Param('project') project: string, @Body() body: UpsertShippingMethodRequest) {
    return this.methods.create(project, body);
  }

  /** The value that a create has returned. */
  @Post('methods/:id')
  created(@Param('project') project: string, @Param('id') id: string) {
    return this.methods.find(project, id);
  }

  @Patch('methods/:id')
  updated(@Param('project') project: string, @Param('id') id: string) {
    return this.methods.find(project, id);
  }

  @Delete('methods/:id')
  @HttpCode(204)
  remove(): void {}
}

interface Response {
  status(code: number): Response;
  send(body: unknown): unknown;
}

/** Catches every exception, and knows one form of errors. */
@Catch()
class CatchAllFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const status = exception instanceof HttpException ? exception.getStatus() : 500;
    const known = exception instanceof HttpException ? exception.getResponse() : undefined;
    const message = typeof known === 'object' && 'message' in known ? known.message : 'Internal server error';
    host
      .switchToHttp()
      .getResponse<Response>()
      .status(status)
      .send({ failed: true, message: [message] });
  }
}

export interface GuestHost {
  app: INestApplication;
  /** The path of the mount, without the project. */
  ours: string;
  /** The path of the mount with `problemDetails: false`. */
  bare: string;
  own: string;
  /** The lines that Nest and Fastify have logged since the boot. */
  lines: string[];
}

export type Platform = 'Express' | 'Fastify';

/** Headers like those of helmet. */
function helmet(_request: unknown, response: ServerResponse, next: () => void): void {
  response.setHeader('x-frame-options', 'SAMEORIGIN');
  response.setHeader('content-security-policy', "default-src 'self'");
  next();
}

/** All that a host sets globally beside interceptors. */
function everything(app: INestApplication): void {
  app.setGlobalPrefix('api');
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.use(helmet);
  app.useGlobalFilters(new CatchAllFilter());
  app.useGlobalPipes(
    new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      validateCustomDecorators: true,
      transformOptions: { enableImplicitConversion: true },
    }),
  );
}

/** @param compress sets up the compression of the platform; with it the host has all other global set-ups, too */
export async function guestHost(
  platform: Platform,
  database: DynamicModule,
  compress?: (app: INestApplication) => void,
): Promise<GuestHost> {
  const lines: string[] = [];
  const note = (...parts: unknown[]): void => void lines.push(parts.join(' '));
  // Nest 10 asks every logger for setLogLevels when the next application is created.
  const logger = { log: () => undefined, setLogLevels: () => undefined, warn: note, error: note };
  const path = 'projects/:project_id/sales/orders';
  @Module({
    imports: [
      database,
      ShippingModule.forRoot({ http: { path: `bare/${path}`, problemDetails: false } }),
      ShippingModule.forRoot({ http: { path } }),
    ],
    controllers: [OwnController],
  })
  class AppModule {}
  const adapter =
    platform === 'Express'
      ? new ExpressAdapter()
      : new FastifyAdapter({ logger: { level: 'warn', stream: { write: note } } });
  const app = await NestFactory.create(AppModule, adapter, { logger, abortOnError: false });
  if (compress) {
    compress(app);
    everything(app);
  }
  app.useGlobalInterceptors(chosen);
  await app.listen(0, '127.0.0.1');
  // Nest 10 warns of each module that it took long to scan.
  lines.length = 0;
  const origin = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  const prefix = compress ? '/api' : '';
  const own = `${origin}${prefix}${compress ? '/v1' : ''}/own`;
  return { app, ours: `${origin}${prefix}/projects`, bare: `${origin}${prefix}/bare/projects`, own, lines };
}
