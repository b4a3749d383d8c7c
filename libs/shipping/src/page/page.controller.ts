import {
  Controller,
  Get,
  Inject,
  NotFoundException,
  type OnModuleInit,
  Param,
  Req,
  Res,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { handlersOf, mountHandler } from '../http/mount-handler.js';
import { type HttpRequest } from '../http/request.js';
import { assets } from './assets.generated.js';
import { type PageRoutes, pageRoutesOf } from './page-routes.js';
import { pageHtml } from './page-html.js';
import { type PageSettings } from './page.options.js';

/** The methods of a response that both Express and Fastify have. */
interface PageResponse {
  header(name: string, value: string): unknown;
  send(body: string): unknown;
}

/** Returns a controller of its own for each page, because its path and its decorators are its own. */
export function pageControllerFor(settings: PageSettings): Type {
  // Pico's icons are `data:` images.
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
    `form-action 'none'; frame-ancestors ${settings.frameAncestors.join(' ') || "'none'"}; require-trusted-types-for 'script'`;

  // Hidden from `@nestjs/swagger`, as by its ApiExcludeController().
  @SetMetadata('swagger/apiExcludeController', [true])
  @Controller({ path: settings.path, version: settings.version })
  class ShippingPageController implements OnModuleInit {
    private routes: PageRoutes | undefined;

    constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {}

    /** The mounts are known after all modules have their providers. */
    onModuleInit(): void {
      this.routes = pageRoutesOf(this.modules, settings);
    }

    /** The response is sent here, so that an interceptor puts the page into no envelope. */
    @Get()
    async page(@Req() request: HttpRequest, @Res() response: PageResponse): Promise<void> {
      const projects = await settings.projects?.(request as never);
      // Nest calls no hooks of a controller that a guard makes request-scoped.
      this.routes ??= pageRoutesOf(this.modules, settings);
      const html = pageHtml(request, settings, this.routes, projects);
      send(response, html, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy,
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-store',
      });
    }

    @Get('assets/:name')
    asset(@Param('name') name: string, @Res() response: PageResponse): void {
      const asset = Object.values(assets).find((each) => each.name === name);
      if (!asset) throw new NotFoundException();
      // The name has a hash of the content.
      send(response, asset.text, {
        'Content-Type': `${asset.type}; charset=utf-8`,
        'Cache-Control': 'private, max-age=31536000, immutable',
      });
    }
  }
  // The host's decorators work as on the routes, so that one list of them can serve both.
  const prototype = ShippingPageController.prototype as never;
  for (const name of handlersOf(prototype)) mountHandler(prototype, name, settings.decorators);
  return ShippingPageController;
}

function send(response: PageResponse, body: string, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries({ ...headers, 'X-Content-Type-Options': 'nosniff' }))
    response.header(name, value);
  response.send(body);
}
