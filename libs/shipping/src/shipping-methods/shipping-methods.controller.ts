import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req } from '@nestjs/common';
import { entityTag, ifMatch, ifNoneMatch } from '../http/conditional.js';
import { type HttpRequest, type HttpResponse, jsonBody, urlOf } from '../http/request.js';
import { Answer, dropIfRefused, NotCached, sendJson } from '../http/response.js';
import { defaultPath, ShippingSettings } from '../options/shipping.options.js';
import { Database } from '../database/database.js';
import { checkedFor, identifierPattern } from '../validation/identifiers.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { checkUpsert, type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { readListQuery } from './list-query.decode.js';
import { pageJson, treeJson } from './method-json.js';
import { MethodStore } from './method-store.js';
import { type MethodView } from './method-view.js';
import { ShippingMethods } from './shipping-methods.service.js';

/** Each handler checks what the service that it calls does not check. */
@Controller(defaultPath)
export class ShippingMethodsController {
  constructor(
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(MethodStore) private readonly store: MethodStore,
    @Inject(Database) private readonly database: Database,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {}

  @Post('shipments/methods')
  create(@Req() request: HttpRequest, @Answer() response: HttpResponse): Promise<ShippingMethodDto> {
    const sent = jsonBody(request) as UpsertShippingMethodRequest;
    return this.change(response, 201, async () => {
      const method = await this.methods.create(idOf(request, 'project_id'), sent);
      response.header('Location', `${urlOf(request).path}/${method.id}`);
      return method;
    });
  }

  @Get('shipments/methods')
  @NotCached()
  async list(@Req() request: HttpRequest, @Answer() response: HttpResponse): Promise<void> {
    const projectId = idOf(request, 'project_id');
    const { search } = urlOf(request);
    const query = () =>
      checkedFor(projectId, (violations) => readListQuery(violations, search, this.settings.maxPageSize));
    // The query is read only when its page is not in the cache, or the answer may be a refusal.
    if (ifNoneMatch(request) || !identifierPattern.test(projectId)) query();
    await this.answer(request, response, projectId, `?${search}`, (view) => pageJson(view, query()));
  }

  @Get('shipments/methods/tree')
  @NotCached()
  async tree(@Req() request: HttpRequest, @Answer() response: HttpResponse): Promise<void> {
    const projectId = checkedFor(idOf(request, 'project_id'), () => idOf(request, 'project_id'));
    await this.answer(request, response, projectId, 'tree', treeJson);
  }

  @Patch('shipments/methods/:method_id')
  update(@Req() request: HttpRequest, @Answer() response: HttpResponse): Promise<ShippingMethodDto> {
    const projectId = idOf(request, 'project_id');
    const sent = jsonBody(request) as UpsertShippingMethodRequest;
    const etags = checkedFor(projectId, (violations) => {
      const tags = ifMatch(violations, request);
      // The service checks the body. What is wrong with it is told together with what was found here.
      if (violations.any) checkUpsert(violations, sent);
      return tags;
    });
    return this.change(response, 200, () =>
      this.methods.update(projectId, idOf(request, 'method_id'), sent, { etags }),
    );
  }

  @Delete('shipments/methods/:method_id')
  @HttpCode(204)
  async remove(@Req() request: HttpRequest, @Answer() response: HttpResponse): Promise<void> {
    const projectId = idOf(request, 'project_id');
    const etags = checkedFor(projectId, (violations) => ifMatch(violations, request));
    await this.change(response, 204, () =>
      this.methods.remove(projectId, idOf(request, 'method_id'), { etags }),
    );
  }

  /**
   * Makes a change, and answers at once if it is committed then: before the host's interceptors can fail. In an ambient
   * transaction one of these may make the commit, so Nest sends what the handler returns after them.
   */
  private async change(
    response: HttpResponse,
    status: 200 | 201 | 204,
    make: () => Promise<ShippingMethodDto>,
  ): Promise<ShippingMethodDto> {
    // The service asks for it in the same tick, so it gets the same.
    const commitsItself = !this.database.joined({});
    const method = await make();
    const body = status === 204 ? null : Buffer.from(JSON.stringify(method));
    if (body) response.header('ETag', method.etag);
    if (commitsItself) await sendJson(response, body, status);
    else dropIfRefused(response, 'ETag', 'Location');
    return method;
  }

  /** Answers 304 to a client that has the current revision, without reading more than that. */
  private async answer(
    request: HttpRequest,
    response: HttpResponse,
    projectId: string,
    name: string,
    make: (view: MethodView) => string,
  ): Promise<void> {
    const joined = this.database.joined({});
    const isHeldByClient = ifNoneMatch(request);
    const tags = isHeldByClient ? await this.store.tags(projectId, joined) : [];
    let tag = isHeldByClient && tags.find(isHeldByClient);
    let body: Buffer | null = null;
    if (tag === undefined) {
      const view = await this.store.view(projectId, joined);
      tag = view.tag;
      body = this.store.body(view, name, () => make(view));
    }
    response.header('ETag', entityTag(tag));
    response.header('Cache-Control', 'no-cache');
    await sendJson(response, body, body ? 200 : 304);
  }
}

function idOf({ params }: HttpRequest, name: 'project_id' | 'method_id'): string {
  return params[name] ?? '';
}
