import { Delete, Get, HttpCode, Inject, Patch, Post, Req, Res } from '@nestjs/common';
import { entityTag, ifMatchVersions, isNotModified } from '../http/conditional.js';
import { type HttpRequest, type HttpResponse, jsonBody, pathOf, queryString } from '../http/request.js';
import { Faults } from '../validation/faults.js';
import { checkIdentifier } from '../validation/identifiers.js';
import {
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingTree,
} from './dto/shipping-method.dto.js';
import { checkUpsert } from './dto/upsert-shipping-method.dto.js';
import { checkListQuery } from './list-query.check.js';
import { decodeListQuery } from './list-query.decode.js';
import { ShippingMethods } from './shipping-methods.service.js';

/** Each handler gathers the faults of the whole request, then calls the service with what it has checked. */
export class ShippingMethodsController {
  constructor(@Inject(ShippingMethods) private readonly methods: ShippingMethods) {}

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
  async list(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingMethodPage | undefined> {
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    const { query, isBracketed } = decodeListQuery(faults, queryString(request));
    const checked = checkListQuery(faults, query, this.methods.maxPageSize, isBracketed);
    faults.throwIfAny();
    return this.unlessHeld(request, response, projectId, () => this.methods.list(projectId, checked));
  }

  @Get('shipments/methods/tree')
  async tree(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<ShippingTree | undefined> {
    const faults = new Faults();
    const projectId = projectIdOf(request, faults);
    faults.throwIfAny();
    return this.unlessHeld(request, response, projectId, () => this.methods.tree(projectId));
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

  /** 304 for a client that has the answer. The validator is read first, so that it is never newer than the data. */
  private async unlessHeld<Answer>(
    request: HttpRequest,
    response: HttpResponse,
    projectId: string,
    answer: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const validator = await this.methods.validator(projectId);
    const isHeld = isNotModified(request, validator);
    const data = isHeld ? undefined : await answer();
    if (isHeld) response.status(304);
    response.header('ETag', entityTag(validator));
    response.header('Cache-Control', 'no-cache');
    return data;
  }
}

function projectIdOf({ params }: HttpRequest, faults: Faults): string {
  checkIdentifier(faults, 'project_id', params['project_id']);
  return params['project_id'] ?? '';
}

function methodIdOf({ params }: HttpRequest): string {
  return params['method_id'] ?? '';
}
