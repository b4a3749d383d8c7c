import { Controller, Get, Inject, Req } from '@nestjs/common';
import { type HttpRequest, type HttpResponse } from '../http/request.js';
import { Answer, NotCached, streamJson } from '../http/response.js';
import { defaultPath } from '../options/shipping.options.js';
import { OrderEvents } from './order-events.service.js';

@Controller(defaultPath)
export class OrderEventsController {
  constructor(@Inject(OrderEvents) private readonly orderEvents: OrderEvents) {}

  /** The process holds one batch of the history at a time, however long it is. */
  @Get(':order_id/events')
  @NotCached()
  async events(@Req() { params }: HttpRequest, @Answer() response: HttpResponse): Promise<void> {
    await streamJson(response, this.orderEvents.json(params['project_id'] ?? '', params['order_id'] ?? ''));
  }
}
