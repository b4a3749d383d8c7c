import { Controller, Get, Inject, Res } from '@nestjs/common';
import { browserCache, type HttpResponse, respond } from '../http/response.js';
import { PathId, ProjectId } from '../http/parameters.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { OrderEvents } from './order-events.service.js';

@Controller()
export class OrderEventsController {
  constructor(@Inject(OrderEvents) private readonly orderEvents: OrderEvents) {}

  /** Returns the whole history at once, because a typical order has tens of events. */
  @Get(':order_id/events')
  async events(
    @ProjectId() projectId: string,
    @PathId('order_id') orderId: string,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<{ data: readonly OrderEventDto[] }> {
    const history = { data: await this.orderEvents.list(projectId, orderId) };
    return respond(response, history, { headers: browserCache });
  }
}
