import { Controller, Get, Inject, NotFoundException, Param, Req, Res, SetMetadata } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type HttpRequest } from '../http/request.js';
import { type HttpResponse } from '../http/response.js';
import { assets } from './assets.generated.js';
import { pageRoutesOf } from './page-routes.js';
import { pageHtml } from './page-html.js';
import { type MountedPage, PageSettings } from './page.options.js';

// Hidden from `@nestjs/swagger`, as by its ApiExcludeController().
@SetMetadata('swagger/apiExcludeController', [true])
@Controller()
export class ShippingPageController {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(PageSettings) private readonly settings: MountedPage,
  ) {}

  /** The response is sent here, so that an interceptor puts the page into no envelope. */
  @Get()
  async page(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const { settings } = this;
    const projects = await settings.projects?.(request as never);
    // Nest calls no onModuleInit() of a controller that a guard makes request-scoped. So nothing is kept here.
    const html = pageHtml(request, settings, pageRoutesOf(this.modules, settings), projects);
    // Pico's icons are `data:` images.
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
      `form-action 'none'; frame-ancestors ${settings.frameAncestors.join(' ') || "'none'"}; require-trusted-types-for 'script'`;
    send(response, html, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Res() response: HttpResponse): void {
    const asset = Object.values(assets).find((each) => each.name === name);
    if (!asset) throw new NotFoundException();
    // The name has a hash of the content.
    send(response, asset.text, {
      'Content-Type': `${asset.type}; charset=utf-8`,
      'Cache-Control': 'private, max-age=31536000, immutable',
    });
  }
}

function send(response: HttpResponse, body: string, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries({ ...headers, 'X-Content-Type-Options': 'nosniff' }))
    response.header(name, value);
  response.send(body);
}
