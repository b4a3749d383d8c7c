import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { type HttpRequest } from '../http/request.js';
import { type HttpResponse } from '../http/http-response.js';
import { NotCached } from '../http/not-cached.js';
import { streamJson } from '../http/response.js';
import { defaultPath } from '../shipping.options.js';
import { OrderEvents } from './order-events.service.js';

@Controller(defaultPath)
export class OrderEventsController {
  constructor(@Inject(OrderEvents) private readonly orderEvents: OrderEvents) {}

  /** The process holds one batch of the history at a time, however long it is. */
  @Get(':order_id/events')
  @NotCached()
  async events(
    @Req() { params }: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<void> {
    await streamJson(response, this.orderEvents.json(params['project_id'] ?? '', params['order_id'] ?? ''));
  }
}
