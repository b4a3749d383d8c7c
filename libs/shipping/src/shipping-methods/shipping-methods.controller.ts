import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req, Res } from '@nestjs/common';
import { entityTag, ifMatch, ifNoneMatch } from '../http/conditional.js';
import { type HttpRequest, type HttpResponse, jsonBody, urlOf } from '../http/request.js';
import { dropIfRefused, NotCached, sendJson } from '../http/response.js';
import { defaultPath, ShippingSettings } from '../shipping.options.js';
import { type Scope, Transactions } from '../storage/transactions.js';
import { Violations } from '../validation/violations.js';
import { checkIdentifier } from '../validation/identifiers.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { checkUpsert } from './dto/upsert-shipping-method.dto.js';
import { type CachedJson } from './json-cache.js';
import { type CheckedListQuery, checkListQuery } from './list-query.check.js';
import { decodeListQuery } from './list-query.decode.js';
import { MethodReads } from './method-reads.js';
import { ShippingMethods } from './shipping-methods.service.js';

/** Each handler gathers the violations of the whole request, then calls the service with what it has checked. */
@Controller(defaultPath)
export class ShippingMethodsController {
  constructor(
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(MethodReads) private readonly reads: MethodReads,
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
  ) {}

  @Post('shipments/methods')
  async create(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    const sent = jsonBody(request);
    const violations = new Violations();
    const projectId = projectIdOf(request, violations);
    const body = checkUpsert(violations, sent);
    violations.throwIfAny();
    const commitsItself = this.commitsItself();
    const method = await this.methods.create(projectId, body);
    response.header('ETag', method.etag);
    response.header('Location', `${urlOf(request).path}/${method.id}`);
    if (commitsItself) await sendJson(response, bytesOf(method), 201);
    else dropIfRefused(response, 'ETag', 'Location');
    return method;
  }

  @Get('shipments/methods')
  @NotCached()
  async list(@Req() request: HttpRequest, @Res({ passthrough: true }) response: HttpResponse): Promise<void> {
    const { search } = urlOf(request);
    const violations = new Violations();
    const projectId = projectIdOf(request, violations);
    // The query is read only when its page is not in the cache, or the answer may be a refusal.
    const query = (): CheckedListQuery => {
      const decoded = decodeListQuery(violations, search);
      const checked = checkListQuery(
        violations,
        decoded.query,
        this.settings.maxPageSize,
        decoded.isBracketed,
      );
      violations.throwIfAny();
      return checked;
    };
    if (violations.any || ifNoneMatch(request)) query();
    await this.answer(request, response, projectId, (scope) =>
      this.reads.page(projectId, `?${search}`, query, scope),
    );
  }

  @Get('shipments/methods/tree')
  @NotCached()
  async tree(@Req() request: HttpRequest, @Res({ passthrough: true }) response: HttpResponse): Promise<void> {
    const violations = new Violations();
    const projectId = projectIdOf(request, violations);
    violations.throwIfAny();
    await this.answer(request, response, projectId, (scope) => this.reads.tree(projectId, scope));
  }

  @Patch('shipments/methods/:method_id')
  async update(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    const sent = jsonBody(request);
    const violations = new Violations();
    const projectId = projectIdOf(request, violations);
    const etags = ifMatch(violations, request);
    const body = checkUpsert(violations, sent);
    violations.throwIfAny();
    const commitsItself = this.commitsItself();
    const method = await this.methods.update(projectId, methodIdOf(request), body, { etags });
    response.header('ETag', method.etag);
    if (commitsItself) await sendJson(response, bytesOf(method));
    else dropIfRefused(response, 'ETag');
    return method;
  }

  @Delete('shipments/methods/:method_id')
  @HttpCode(204)
  async remove(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<void> {
    const violations = new Violations();
    const projectId = projectIdOf(request, violations);
    const etags = ifMatch(violations, request);
    violations.throwIfAny();
    const commitsItself = this.commitsItself();
    await this.methods.remove(projectId, methodIdOf(request), { etags });
    if (commitsItself) await sendJson(response, null, 204);
  }

  /**
   * Whether a change is committed once the service has made it. Then it is answered at once, before the host's
   * interceptors can fail. In an ambient transaction one of these may be the commit: Nest sends what the handler returns
   * after it. Ask in the same tick as the service, which asks the same.
   */
  private commitsItself(): boolean {
    return this.transactions.scopeOf({}) === 'shared';
  }

  /** Answers 304 to a client that has the current revision, without reading more than that. */
  private async answer(
    request: HttpRequest,
    response: HttpResponse,
    projectId: string,
    read: (scope: Scope) => Promise<CachedJson>,
  ): Promise<void> {
    const scope = this.transactions.scopeOf({});
    const isHeldByClient = ifNoneMatch(request);
    const known = isHeldByClient && (await this.reads.revision(projectId, scope));
    const isHeld = known !== undefined && isHeldByClient?.(known) === true;
    const { revision, body } = isHeld ? { revision: known, body: null } : await read(scope);
    response.header('ETag', entityTag(revision));
    response.header('Cache-Control', 'no-cache');
    await sendJson(response, body, body ? 200 : 304);
  }
}

function bytesOf(method: ShippingMethodDto): Buffer {
  return Buffer.from(JSON.stringify(method));
}

function projectIdOf({ params }: HttpRequest, violations: Violations): string {
  checkIdentifier(violations, 'project_id', params['project_id']);
  return params['project_id'] ?? '';
}

function methodIdOf({ params }: HttpRequest): string {
  return params['method_id'] ?? '';
}
