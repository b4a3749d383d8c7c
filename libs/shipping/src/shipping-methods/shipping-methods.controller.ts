import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req, Res } from '@nestjs/common';
import { browserCache, type HttpResponse, respond } from '../http/response.js';
import { ifMatch } from '../http/conditional.js';
import { JsonBody, PathId, ProjectId } from '../http/parameters.js';
import { type HttpRequest, urlOf } from '../http/request.js';
import { checkInput } from '../validation/check-input.js';
import {
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingMethodTree,
} from './dto/shipping-method.dto.js';
import { checkUpsert } from './dto/upsert-shipping-method.check.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { ListQueryCache } from './list/list-query-cache.js';
import { renderingIfUntouched } from './rendering.js';
import { ShippingMethodsService } from './shipping-methods.service.js';

/**
 * The paths are below `http.path` of the mount, which has `:project_id`. The handlers check what the service does not: the
 * query of the URL, the headers, and the required fields of an update.
 */
@Controller()
export class ShippingMethodsController {
  constructor(
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(ListQueryCache) private readonly queries: ListQueryCache,
  ) {}

  @Post('shipments/methods')
  async create(
    @ProjectId() projectId: string,
    @JsonBody() body: unknown,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    const method = await this.methods.create(projectId, body as UpsertShippingMethodRequest);
    const location = `${urlOf(request).path}/${method.id}`;
    return respond(response, method, { headers: { ETag: method.etag, Location: location } });
  }

  @Get('shipments/methods')
  async list(
    @ProjectId() projectId: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodPage> {
    const query = checkInput({ projectId }, (violations) =>
      this.queries.read(violations, urlOf(request).search),
    );
    return respondToRead(request, response, await this.methods.listChecked(projectId, query));
  }

  @Get('shipments/methods/tree')
  async tree(
    @ProjectId() projectId: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodTree> {
    return respondToRead(request, response, await this.methods.tree(projectId));
  }

  @Patch('shipments/methods/:method_id')
  async update(
    @ProjectId() projectId: string,
    @PathId('method_id') id: string,
    @Req() request: HttpRequest,
    @JsonBody() body: unknown,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    // The service takes any of the fields, and the route needs the required ones.
    const { etag, patch } = checkInput({ projectId }, (violations) => ({
      etag: ifMatch(violations, request.headers['if-match']),
      patch: checkUpsert(violations, body),
    }));
    const method = await this.methods.updateChecked(projectId, id, patch, { etag });
    return respond(response, method, { headers: { ETag: method.etag } });
  }

  @Delete('shipments/methods/:method_id')
  @HttpCode(204)
  async remove(
    @ProjectId() projectId: string,
    @PathId('method_id') id: string,
    @Req() request: HttpRequest,
  ): Promise<void> {
    const etag = checkInput({ projectId }, (violations) => ifMatch(violations, request.headers['if-match']));
    await this.methods.remove(projectId, id, { etag });
  }
}

/** Sends a list or a tree with its ETag. */
function respondToRead<Value extends object>(
  request: HttpRequest,
  response: HttpResponse,
  value: Value,
): Value {
  const conditional = { ifNoneMatch: request.headers['if-none-match'], rendering: renderingIfUntouched };
  return respond(response, value, { headers: browserCache, conditional });
}
