import { Delete, Get, HttpCode, Inject, Patch, Post, Req, Res } from '@nestjs/common';
import { type Answer } from '../answers/current-answers.js';
import { Database } from '../database/database.js';
import { entityTag, ifMatch, ifNoneMatch } from '../http/conditional.js';
import { type HttpRequest, jsonBody, urlOf } from '../http/request.js';
import { type HttpResponse } from '../http/http-response.js';
import { NotCached } from '../http/not-cached.js';
import { dropIfRefused, sendJson, streamJson } from '../http/response.js';
import { Faults } from '../validation/faults.js';
import { checkIdentifier } from '../validation/identifiers.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { checkUpsert } from './dto/upsert-shipping-method.dto.js';
import { type CheckedListQuery, checkListQuery } from './list-query.check.js';
import { decodeListQuery } from './list-query.decode.js';
import { type LargeTree } from './large-tree.js';
import { MethodAnswers } from './method-answers.js';
import { ShippingMethods } from './shipping-methods.service.js';

/** Each handler gathers the faults of the whole request, then calls the service with what it has checked. */
export class ShippingMethodsController {
  constructor(
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(MethodAnswers) private readonly answers: MethodAnswers,
    @Inject(Database) private readonly database: Database,
  ) {}

  @Post('shipments/methods')
  async create(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    const sent = jsonBody(request);
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    const body = checkUpsert(faults, sent);
    faults.throwIfAny();
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
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    // The query is read only when the answer to it is not held, or may be a refusal.
    const query = (): CheckedListQuery => {
      const decoded = decodeListQuery(faults, search);
      const checked = checkListQuery(faults, decoded.query, this.methods.maxPageSize, decoded.isBracketed);
      faults.throwIfAny();
      return checked;
    };
    if (faults.any || ifNoneMatch(request)) query();
    await this.answer(request, response, projectId, () => this.answers.page(projectId, `?${search}`, query));
  }

  @Get('shipments/methods/tree')
  @NotCached()
  async tree(@Req() request: HttpRequest, @Res({ passthrough: true }) response: HttpResponse): Promise<void> {
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    faults.throwIfAny();
    await this.answer(request, response, projectId, async () => {
      const answer = await this.answers.tree(projectId);
      return answer.body ? answer : this.answers.largeTree(projectId);
    });
  }

  @Patch('shipments/methods/:method_id')
  async update(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    const sent = jsonBody(request);
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    const etags = ifMatch(faults, request);
    const body = checkUpsert(faults, sent);
    faults.throwIfAny();
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
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    const etags = ifMatch(faults, request);
    faults.throwIfAny();
    const commitsItself = this.commitsItself();
    await this.methods.remove(projectId, methodIdOf(request), { etags });
    if (commitsItself) await sendJson(response, null, 204);
  }

  /**
   * Whether a change is true once the service has made it: then it is answered at once, past the host's interceptors.
   * Within an ambient transaction one of these may be the commit, and Nest sends what the handler returns after it.
   * To be asked in the same tick as the service, which asks the same.
   */
  private commitsItself(): boolean {
    return !this.database.isCallers({});
  }

  /** To a client that has the answer, 304 for the price of the look-up. */
  private async answer(
    request: HttpRequest,
    response: HttpResponse,
    projectId: string,
    read: () => Promise<Answer | LargeTree>,
  ): Promise<void> {
    const isHeldByClient = ifNoneMatch(request);
    const known = isHeldByClient && (await this.answers.validator(projectId));
    const isHeld = known !== undefined && isHeldByClient?.(known) === true;
    const answer = isHeld ? { validator: known, body: null } : await read();
    response.header('ETag', entityTag(answer.validator));
    response.header('Cache-Control', 'no-cache');
    if ('pieces' in answer) return streamJson(response, answer.pieces);
    return sendJson(response, answer.body, answer.body ? 200 : 304);
  }
}

function bytesOf(method: ShippingMethodDto): Buffer {
  return Buffer.from(JSON.stringify(method));
}

function projectIdOf({ params }: HttpRequest, faults: Faults): string {
  checkIdentifier(faults, 'project_id', params['project_id']);
  return params['project_id'] ?? '';
}

function methodIdOf({ params }: HttpRequest): string {
  return params['method_id'] ?? '';
}
