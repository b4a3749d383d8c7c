import { Delete, Get, HttpCode, Inject, Patch, Post, Req, Res } from '@nestjs/common';
import { type Answer } from '../answers/current-answers.js';
import { entityTag, ifMatchVersions, ifNoneMatch } from '../http/conditional.js';
import { type HttpRequest, jsonBody, pathOf, queryString } from '../http/request.js';
import { type HttpResponse, sendJson, sendNothing, streamJson } from '../http/response.js';
import { Faults } from '../validation/faults.js';
import { checkIdentifier } from '../validation/identifiers.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { checkUpsert } from './dto/upsert-shipping-method.dto.js';
import { type CheckedListQuery, checkListQuery } from './list-query.check.js';
import { decodeListQuery } from './list-query.decode.js';
import { MethodAnswers } from './method-answers.js';
import { ShippingMethods } from './shipping-methods.service.js';

/** Each handler gathers the faults of the whole request, then calls the service with what it has checked. */
export class ShippingMethodsController {
  constructor(
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(MethodAnswers) private readonly answers: MethodAnswers,
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
    const method = await this.methods.create(projectId, body);
    response.header('ETag', entityTag(method.version));
    response.header('Location', `${pathOf(request)}/${method.id}`);
    return method;
  }

  @Get('shipments/methods')
  async list(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const search = queryString(request);
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    // The query is read only when the answer to it is not held, or is a refusal.
    const query = (): CheckedListQuery => {
      const decoded = decodeListQuery(faults, search);
      const checked = checkListQuery(faults, decoded.query, this.methods.maxPageSize, decoded.isBracketed);
      faults.throwIfAny();
      return checked;
    };
    if (faults.any) query();
    await this.answer(request, response, projectId, () => this.answers.page(projectId, `?${search}`, query));
  }

  @Get('shipments/methods/tree')
  async tree(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    faults.throwIfAny();
    await this.answer(request, response, projectId, () => this.answers.tree(projectId));
  }

  @Patch('shipments/methods/:method_id')
  async update(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodDto> {
    const sent = jsonBody(request);
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    const versions = ifMatchVersions(faults, request);
    const body = checkUpsert(faults, sent);
    faults.throwIfAny();
    const method = await this.methods.update(projectId, methodIdOf(request), body, { versions });
    response.header('ETag', entityTag(method.version));
    return method;
  }

  @Delete('shipments/methods/:method_id')
  @HttpCode(204)
  async remove(@Req() request: HttpRequest): Promise<void> {
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    const versions = ifMatchVersions(faults, request);
    faults.throwIfAny();
    await this.methods.remove(projectId, methodIdOf(request), { versions });
  }

  /** To a client that has the answer, 304 for the price of the look-up. */
  private async answer(
    request: HttpRequest,
    response: HttpResponse,
    projectId: string,
    read: () => Promise<Answer>,
  ): Promise<void> {
    const isHeldByClient = ifNoneMatch(request);
    const known = isHeldByClient && (await this.answers.validator(projectId));
    const isHeld = known !== undefined && isHeldByClient?.(known) === true;
    const { validator, body } = isHeld ? { validator: known, body: undefined } : await read();
    response.header('ETag', entityTag(validator));
    response.header('Cache-Control', 'no-cache');
    if (body) sendJson(response, body);
    else if (body === null) await streamJson(response, this.answers.largeTree(projectId));
    else sendNothing(response, 304);
  }
}

function projectIdOf({ params }: HttpRequest, faults: Faults): string {
  checkIdentifier(faults, 'project_id', params['project_id']);
  return params['project_id'] ?? '';
}

function methodIdOf({ params }: HttpRequest): string {
  return params['method_id'] ?? '';
}
